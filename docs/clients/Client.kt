// Private reports for a task of mechdesign, made on Android, or on a JVM with org.json: of grr, ss, oue and calm, and
// after addLevels() of Levels.kt of blocks and warped-blocks.
import java.math.BigInteger
import java.security.SecureRandom
import org.json.JSONArray
import org.json.JSONObject

typealias Kind = (JSONObject, List<Long>, Draws) -> ByteArray

private fun systemBytes(length: Int) = ByteArray(length).also { SecureRandom().nextBytes(it) }

/** Make the message of a user: `items` has the number of the item, from 0; of several attributes those of all. */
fun message(task: JSONObject, items: List<Long>, read: (Int) -> ByteArray = ::systemBytes): ByteArray {
    val parameters = task.getJSONObject("parameters")
    val stated = JSONObject(task.getJSONObject("constants").toString())
    val domains = parameters.optString("domains", parameters.optString("k")).split(",")
    if (parameters.has("k")) stated.put("k", parameters.getLong("k"))
    stated.put("sizes", JSONArray(domains.map { it.toLong() }))
    require(items.size == domains.size && items.zip(domains).all { (x, k) -> x >= 0 && x < k.toLong() }) {
        "items must have the number of an item of the task, or of one for each attribute"
    }
    val kind = requireNotNull(kinds[parameters.getString("oracle")]) { "oracle must be one of ${kinds.keys}" }
    return kind(stated, items, Draws(read))
}

fun bytes(value: Long, length: Int) = ByteArray(length) { (value shr 8 * it).toByte() }
fun number(value: Long, bound: Long) = bytes(value, listOf(1, 2, 4).find { bound <= 1L shl 8 * it } ?: 8)
fun bits(places: Collection<Long>, k: Long) = ByteArray(((k + 7) / 8).toInt()).also {
    for (v in places) it[(v / 8).toInt()] = (it[(v / 8).toInt()].toInt() or (1 shl (v % 8).toInt())).toByte()
}
val JSONObject.k get() = getLong("k")
fun JSONObject.longs(name: String) = getJSONArray(name).let { all -> List(all.length(), all::getLong) }
fun JSONObject.objects(name: String) = getJSONArray(name).let { all -> List(all.length(), all::getJSONObject) }

class Draws(private val read: (Int) -> ByteArray) {
    /** A number uniform on 0..m-1: words from the last whole multiple of m on are thrown away. */
    fun below(m: BigInteger): BigInteger {
        val length = ((m - BigInteger.ONE).bitLength() + 7) / 8
        val values = BigInteger.ONE.shiftLeft(8 * length)
        while (true) {
            val word = BigInteger(1, read(length).reversedArray())
            if (word < values - values % m) return word % m
        }
    }
    fun below(m: Long) = below(BigInteger.valueOf(m)).toLong()
    fun chance(text: String): Boolean {
        val (a, b) = "$text/1".split("/").map(::BigInteger)
        return below(b) < a
    }
    fun choose(weights: List<Long>): Int {
        var u = below(weights.reduce { sum, one -> Math.addExact(sum, one) })
        return weights.indexOfFirst { weight -> u -= weight; u < 0 }
    }
    fun except(own: Long, m: Long) = below(m - 1).let { u -> if (u < own) u else u + 1 }
    fun subset(size: Long, k: Long): Set<Long> = mutableSetOf<Long>().apply {
        for (t in k - size until k) below(t + 1).let { u -> add(if (u in this) t else u) }
    }
}

/** By the names of systems: the bytes of a report, by what the task states, the items, and draws. */
val kinds: MutableMap<String, Kind> = mutableMapOf(
    "grr" to { stated, (x), draw ->
        number(if (draw.chance(stated.getString("p"))) x else draw.except(x, stated.k), stated.k)
    },
    "ss" to { stated, (x), draw ->
        val own = if (draw.chance(stated.getString("p"))) listOf(x) else listOf()
        val others = draw.subset(stated.getLong("size") - own.size, stated.k - 1)
        bits(others.map { u -> if (u < x) u else u + 1 } + own, stated.k)
    },
    "oue" to { stated, (x), draw ->
        bits((0 until stated.k).filter { v -> draw.chance(stated.getString(if (v == x) "p" else "q")) }, stated.k)
    },
    "calm" to { stated, items, draw ->
        val sizes = stated.longs("sizes")
        val sets = stated.getJSONArray("sets")
        part(0, List(sets.length()) { i ->
            val set = sets.getJSONArray(i).let { all -> List(all.length(), all::getInt) }
            val cells = set.fold(1L) { k, j -> k * sizes[j] }
            val table = stated.objects("tables").first { it.k == cells }
            Part(1, table) { set.fold(0L) { x, j -> x * sizes[j] + items[j] } }
        }, draw)
    }
)

class Part(val weight: Long, val stated: JSONObject, val x: () -> Long)

/** The report of one of several parts, which is drawn, in public, by their weights. They are numbered from `first`. */
fun part(first: Int, parts: List<Part>, draw: Draws): ByteArray {
    val i = draw.choose(parts.map { it.weight })
    val stated = parts[i].stated
    val report = kinds.getValue(stated.getString("oracle"))(stated, listOf(parts[i].x()), draw)
    return number(first.toLong() + i, first.toLong() + parts.size) + bytes(report.size.toLong(), 4) + report
}
