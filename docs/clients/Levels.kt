// Reports of blocks and of warped-blocks, beside Client.kt.
import java.math.BigInteger
import org.json.JSONObject

private fun drawnMasks(level: JSONObject, draw: Draws): List<Long> {
    while (true) { // all anew until they are linearly independent: then all their sums differ
        val masks = List(level.getInt("masks")) { draw.below(1L shl level.getInt("label_bits")) }
        val sums = masks.fold(listOf(0L)) { found, mask -> found + found.map { it xor mask } }
        if (sums.toSet().size == sums.size) return masks
    }
}

/** Masks and a bucket; a label of null: the report is about a wide cell that the user is not in. */
private fun masked(level: JSONObject, label: Long?, draw: Draws): ByteArray {
    val masks = drawnMasks(level, draw)
    val all = 1L shl masks.size
    val below = level.getLong("below")
    val own = masks.mapIndexed { i, mask -> java.lang.Long.bitCount(mask and (label ?: 0)) % 2L shl i }.sum()
    val drawn = when {
        label == null -> draw.below(all)
        draw.chance(level.getString("held")) -> draw.below(below)
        else -> below + draw.below(all - below)
    }
    val numbers = masks.map { mask -> number(mask, 1L shl level.getInt("label_bits")) }
    return numbers.fold(ByteArray(0), ByteArray::plus) + number(own xor drawn, all)
}

/** The block of an item in the partition at shift s. */
private fun blockOf(starts: List<Long>, densities: List<Long>, shifts: Long, blocks: Long, s: Long, x: Long): Long {
    if (densities.isEmpty()) return x
    fun big(value: Long) = BigInteger.valueOf(value)
    fun length(i: Int, end: Long) = maxOf(minOf(starts[i + 1], end) - starts[i], 0)
    fun before(end: Long) = big(densities.withIndex().map { (i, density) -> density * length(i, end) }.sum())
    val total = big(2) * before(starts.last())
    val place = big(2 * shifts * blocks) * (before(x) + before(x + 1))
    return ((place + big(2 * s + 1) * total) / (big(2 * shifts) * total)).toLong()
}

/** The cell of an item; of nested masks the label, counted from the first item of the wide cell. */
private fun cellOf(starts: List<Long>, level: JSONObject, s: Long, x: Long): Long {
    val shifts = level.getLong("shifts")
    val (densities, blocks) = Pair(level.longs("densities"), level.getLong("blocks"))
    fun own(item: Long) = blockOf(starts, densities, shifts, blocks, s, item)
    if (level.getString("oracle") != "nested-masks") return own(x)
    val wideDensities = level.getJSONObject("wide").longs("densities")
    fun wide(item: Long) = blockOf(starts, wideDensities, shifts, level.getLong("cells") - 1, s, item)
    var (first, high) = Pair(0L, x)
    while (first < high) { // the first item whose wide cell is that of x, by halves
        val middle = (first + high) / 2
        if (wide(middle) < wide(x)) first = middle + 1 else high = middle
    }
    return (wide(x) shl level.getInt("label_bits")) + own(x) - own(first)
}

/** Let `message` make reports of blocks and warped-blocks too. */
fun addLevels() {
    kinds["blocks"] = { stated, (x), draw ->
        part(1, stated.objects("levels").map { level -> Part(level.getLong("weight"), level) { x } }, draw)
    }
    kinds["warped-blocks"] = { stated, (x), draw ->
        part(1, stated.objects("levels").flatMap { level -> List(level.getInt("shifts")) { s ->
            Part(level.getLong("weight"), level) { cellOf(stated.longs("starts"), level, s.toLong(), x) }
        } }, draw)
    }
    kinds["masked-blocks"] = { level, (x), draw ->
        val (k, pieces) = Pair(level.k, level.getLong("pieces"))
        val shifts = k / BigInteger.valueOf(k).gcd(BigInteger.valueOf(pieces)).toLong()
        val s = draw.below(shifts)
        number(s, shifts) + masked(level, (((x - s + k) % k + 1) * pieces - 1) / k, draw)
    }
    kinds["nested-masks"] = { level, (x), draw ->
        val (bits, cells) = Pair(level.getInt("label_bits"), level.getLong("cells"))
        val named = draw.chance(level.getString("named"))
        val cell = if (named) x shr bits else draw.except(x shr bits, cells)
        number(cell, cells) + masked(level, if (named) x % (1L shl bits) else null, draw)
    }
    kinds["rotated-cells"] = { level, (x), draw ->
        val isHeld = draw.chance(level.getString("held"))
        val bounds = listOf(0L) + level.longs("ends") + level.k
        val runs = bounds.zipWithNext().filterIndexed { i, _ -> (i % 2 == 1) == isHeld }
        var left = draw.below(runs.map { (first, end) -> end - first }.sum())
        val (first, _) = runs.first { (first, end) -> left < end - first || run { left -= end - first; false } }
        number((x - first - left + level.k) % level.k, level.k)
    }
}
