// Make the messages of a file of jobs: each is printed with the number of bytes read, or an error that begins with "refused".
import java.io.File
import org.json.JSONArray

fun main(arguments: Array<String>) {
    addLevels()
    val jobs = JSONArray(File(arguments[0]).readText())
    for (job in List(jobs.length(), jobs::getJSONObject)) {
        val digits = if (job.isNull("random")) null else job.getString("random")
        val data = ByteArray((digits ?: "").length / 2) { digits!!.substring(2 * it, 2 * it + 2).toInt(16).toByte() }
        var taken = 0
        val value = job.get("value")
        val items = if (value is JSONArray) List(value.length(), value::getLong) else listOf(job.getLong("value"))
        val task = job.getJSONObject("task")
        val made = try {
            val message = if (digits == null) message(task, items) else message(task, items) { length ->
                taken += length
                data.copyOfRange(taken - length, taken)
            }
            message.joinToString("") { "%02x".format(it) } + " $taken"
        } catch (error: IllegalArgumentException) {
            "refused ${error.message}"
        }
        println(made)
    }
}
