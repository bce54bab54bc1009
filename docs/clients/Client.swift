// Private reports for a task of mechdesign, made in Swift, beside Draws.swift: of grr, ss, oue and calm, and after
// addLevels() of Levels.swift of blocks and warped-blocks.
import Foundation
import Security

typealias Stated = [String: Any]  // what JSONSerialization reads of a task
typealias Kind = (Stated, [Int], Draws) -> [UInt8]
struct NoReport: Error { let reason: String }

func systemBytes(_ length: Int) -> [UInt8] {
    var found = [UInt8](repeating: 0, count: length)
    guard SecRandomCopyBytes(kSecRandomDefault, length, &found) == errSecSuccess else { fatalError("no random bytes") }
    return found
}

/// Make the message of a user: `items` has the number of the item, from 0; of several attributes those of all.
func message(_ task: Stated, _ items: [Int], read: @escaping (Int) -> [UInt8] = systemBytes) throws -> [UInt8] {
    let parameters = task["parameters"] as! Stated
    var stated = task["constants"] as! Stated
    let domains = parameters["domains"] as? String ?? "\(parameters["k"] as! Int)"
    let sizes = domains.split(separator: ",").map { Int($0)! }
    stated["sizes"] = sizes
    stated["k"] = parameters["k"]
    guard items.count == sizes.count, zip(items, sizes).allSatisfy({ $0 >= 0 && $0 < $1 }) else {
        throw NoReport(reason: "items must have the number of an item of the task, or of one for each attribute")
    }
    guard let kind = kinds[parameters["oracle"] as! String] else {
        throw NoReport(reason: "oracle must be one of \(kinds.keys.sorted())")
    }
    return kind(stated, items, Draws(read: read))
}

func bytes(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
func number(_ value: Int, _ bound: Int) -> [UInt8] { bytes(value, [1, 2, 4].first { bound <= 1 << (8 * $0) } ?? 8) }
func bits(_ places: [Int], _ k: Int) -> [UInt8] {
    places.reduce(into: [UInt8](repeating: 0, count: (k + 7) / 8)) { found, v in found[v / 8] |= 1 << UInt8(v % 8) }
}
extension Dictionary where Key == String, Value == Any {
    func int(_ name: String) -> Int { self[name] as! Int }
    func ints(_ name: String) -> [Int] { self[name] as! [Int] }
    func objects(_ name: String) -> [Stated] { self[name] as! [Stated] }
}

/// By the names of systems: the bytes of a report, by what the task states, the items, and draws.
var kinds: [String: Kind] = [
    "grr": { stated, items, draw in
        let k = stated.int("k")
        return number(draw.chance(stated["p"]) ? items[0] : draw.except(items[0], k), k)
    },
    "ss": { stated, items, draw in
        let own = draw.chance(stated["p"]) ? items : []
        let others = draw.subset(stated.int("size") - own.count, stated.int("k") - 1)
        return bits(others.map { u in u < items[0] ? u : u + 1 } + own, stated.int("k"))
    },
    "oue": { stated, items, draw in
        let k = stated.int("k")
        return bits((0..<k).filter { v in draw.chance(stated[v == items[0] ? "p" : "q"]) }, k)
    },
    "calm": { stated, items, draw in
        let sizes = stated.ints("sizes")
        return part(0, (stated["sets"] as! [[Int]]).map { set in
            let cells = set.reduce(1) { k, j in k * sizes[j] }
            let table = stated.objects("tables").first { $0.int("k") == cells }!
            return Part(weight: 1, stated: table) { set.reduce(0) { x, j in x * sizes[j] + items[j] } }
        }, draw)
    },
]

struct Part { let weight: Int, stated: Stated, x: () -> Int }

/// The report of one of several parts, which is drawn, in public, by their weights. They are numbered from `first`.
func part(_ first: Int, _ parts: [Part], _ draw: Draws) -> [UInt8] {
    let i = draw.choose(parts.map { $0.weight }), stated = parts[i].stated
    let report = kinds[stated["oracle"] as! String]!(stated, [parts[i].x()], draw)
    return number(first + i, first + parts.count) + bytes(report.count, 4) + report
}
