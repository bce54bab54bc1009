// Exact draws from random bytes, for Client.swift: numbers of any size, since denominators have no bound.
import Foundation

/// A whole number of any size, by its bytes: the first counts least, and the last is not 0.
struct Natural {
    let digits: [UInt8]

    init(_ bytes: [UInt8]) {
        digits = Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
    }

    init(_ text: String) {
        var found: [UInt8] = []
        for letter in text {
            var carry = letter.wholeNumberValue!
            for i in found.indices {
                carry += 10 * Int(found[i])
                found[i] = UInt8(carry & 255)
                carry >>= 8
            }
            if carry > 0 { found.append(UInt8(carry)) }
        }
        self.init(found)
    }

    var small: Int { digits.reversed().reduce(0) { 256 * $0 + Int($1) } }

    static func < (a: Natural, b: Natural) -> Bool {
        a.digits.count != b.digits.count
            ? a.digits.count < b.digits.count
            : a.digits.reversed().lexicographicallyPrecedes(b.digits.reversed())
    }

    static func - (a: Natural, b: Natural) -> Natural {  // of b up to a
        var found = a.digits, borrow = 0
        for i in found.indices {
            let left = Int(found[i]) - (i < b.digits.count ? Int(b.digits[i]) : 0) - borrow
            found[i] = UInt8(left & 255)
            borrow = left < 0 ? 1 : 0
        }
        return Natural(found)
    }

    static func % (a: Natural, m: Natural) -> Natural {  // at most 256 steps: a is at most 256 m in what follows
        var rest = a
        while !(rest < m) { rest = rest - m }
        return rest
    }
}

struct Draws {
    let read: (Int) -> [UInt8]

    /// A number uniform on 0..m-1: words from the last whole multiple of m on are thrown away.
    func below(_ m: Natural) -> Natural {
        let length = (m - Natural("1")).digits.count
        let values = Natural([UInt8](repeating: 0, count: length) + [1])
        while true {
            let word = Natural(read(length))
            if word < values - values % m { return word % m }
        }
    }

    func below(_ m: Int) -> Int { below(Natural(String(m))).small }

    func chance(_ text: Any?) -> Bool {
        let ratio = (text as! String).split(separator: "/").map { Natural(String($0)) }
        return below(ratio.count > 1 ? ratio[1] : Natural("1")) < ratio[0]
    }

    func choose(_ weights: [Int]) -> Int {
        var u = below(weights.reduce(0, +))
        return weights.firstIndex { weight in u -= weight; return u < 0 }!
    }

    func except(_ own: Int, _ m: Int) -> Int { let u = below(m - 1); return u < own ? u : u + 1 }

    func subset(_ size: Int, _ k: Int) -> Set<Int> {
        (k - size..<k).reduce(into: []) { chosen, t in let u = below(t + 1); chosen.insert(chosen.contains(u) ? t : u) }
    }
}
