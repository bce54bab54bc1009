// Reports of blocks and of warped-blocks, beside Client.swift.
import Foundation

private func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }

private func drawnMasks(_ level: Stated, _ draw: Draws) -> [Int] {
    while true {  // all anew until they are linearly independent: then all their sums differ
        let masks = (0..<level.int("masks")).map { _ in draw.below(1 << level.int("label_bits")) }
        let sums = masks.reduce([0]) { found, mask in found + found.map { $0 ^ mask } }
        if Set(sums).count == sums.count { return masks }
    }
}

/// Masks and a bucket; a label of nil: the report is about a wide cell that the user is not in.
private func masked(_ level: Stated, _ label: Int?, _ draw: Draws) -> [UInt8] {
    let masks = drawnMasks(level, draw), all = 1 << masks.count, below = level.int("below")
    let parities = masks.map { mask in (mask & (label ?? 0)).nonzeroBitCount % 2 }
    let own = parities.enumerated().reduce(0) { sum, next in sum + next.element << next.offset }
    let drawn: Int
    if label == nil {
        drawn = draw.below(all)
    } else {
        drawn = draw.chance(level["held"]) ? draw.below(below) : below + draw.below(all - below)
    }
    return masks.flatMap { mask in number(mask, 1 << level.int("label_bits")) } + number(own ^ drawn, all)
}

/// The block of an item in the partition at shift s, by products of 128 bits.
private func block(_ starts: [Int], _ densities: [Int], _ shifts: Int, _ blocks: Int, _ s: Int, _ x: Int) -> Int {
    if densities.isEmpty { return x }
    func before(_ end: Int) -> UInt {
        UInt(densities.enumerated().reduce(0) { sum, next in
            sum + next.element * max(min(starts[next.offset + 1], end) - starts[next.offset], 0)
        })
    }
    let total = 2 * before(starts.last!)
    let place = UInt(2 * shifts * blocks).multipliedFullWidth(by: before(x) + before(x + 1))
    let (low, carried) = place.low.addingReportingOverflow(UInt(2 * s + 1) * total)
    return Int((UInt(2 * shifts) * total).dividingFullWidth((place.high + (carried ? 1 : 0), low)).quotient)
}

/// The cell of an item; of nested masks the label, counted from the first item of the wide cell.
private func cell(_ starts: [Int], _ level: Stated, _ s: Int, _ x: Int) -> Int {
    let shifts = level.int("shifts"), densities = level.ints("densities"), blocks = level.int("blocks")
    func own(_ item: Int) -> Int { block(starts, densities, shifts, blocks, s, item) }
    guard level["oracle"] as! String == "nested-masks" else { return own(x) }
    let wideDensities = (level["wide"] as! Stated).ints("densities"), cells = level.int("cells")
    func wide(_ item: Int) -> Int { block(starts, wideDensities, shifts, cells - 1, s, item) }
    var first = 0, high = x
    while first < high {  // the first item whose wide cell is that of x, by halves
        let middle = (first + high) / 2
        if wide(middle) < wide(x) { first = middle + 1 } else { high = middle }
    }
    return wide(x) << level.int("label_bits") + own(x) - own(first)
}

/// Let `message` make reports of blocks and warped-blocks too.
func addLevels() {
    kinds["blocks"] = { stated, items, draw in
        part(1, stated.objects("levels").map { Part(weight: $0.int("weight"), stated: $0) { items[0] } }, draw)
    }
    kinds["warped-blocks"] = { stated, items, draw in
        part(1, stated.objects("levels").flatMap { level in (0..<level.int("shifts")).map { s in
            Part(weight: level.int("weight"), stated: level) { cell(stated.ints("starts"), level, s, items[0]) }
        } }, draw)
    }
    kinds["masked-blocks"] = { level, items, draw in
        let k = level.int("k"), pieces = level.int("pieces"), shifts = k / gcd(k, pieces), s = draw.below(shifts)
        return number(s, shifts) + masked(level, (((items[0] - s + k) % k + 1) * pieces - 1) / k, draw)
    }
    kinds["nested-masks"] = { level, items, draw in
        let labels = 1 << level.int("label_bits"), cells = level.int("cells"), named = draw.chance(level["named"])
        let cell = named ? items[0] / labels : draw.except(items[0] / labels, cells)
        return number(cell, cells) + masked(level, named ? items[0] % labels : nil, draw)
    }
    kinds["rotated-cells"] = { level, items, draw in
        let k = level.int("k"), bounds = [0] + level.ints("ends") + [k], isHeld = draw.chance(level["held"])
        let runs = stride(from: isHeld ? 1 : 0, to: bounds.count - 1, by: 2).map { (bounds[$0], bounds[$0 + 1]) }
        var left = draw.below(runs.reduce(0) { $0 + $1.1 - $1.0 }), run = 0
        while left >= runs[run].1 - runs[run].0 {
            left -= runs[run].1 - runs[run].0
            run += 1
        }
        return number((items[0] - runs[run].0 - left + k) % k, k)
    }
}
