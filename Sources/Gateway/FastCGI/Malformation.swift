/// Why a FastCGI connection can't be read any further.
enum Malformation: Hashable, CustomStringConvertible {
    case version(UInt8)
    case beginLength(UInt16)
    case beginWhileActive(UInt16)
    case inputBeforeParameters(UInt16)
    case parametersAfterEnd(UInt16)
    case inputAfterEnd(UInt16)
    case values
    case stalledRecord

    var description: String {
        switch self {
        case .version(let version): "record of FastCGI version \(version); only version 1 is known"
        case .beginLength(let count): "BEGIN_REQUEST of \(count) bytes in place of 8"
        case .beginWhileActive(let id): "second BEGIN_REQUEST for request \(id) while it is active"
        case .inputBeforeParameters(let id): "STDIN before the end of PARAMS for request \(id)"
        case .parametersAfterEnd(let id): "PARAMS after their end for request \(id)"
        case .inputAfterEnd(let id): "STDIN after its end for request \(id)"
        case .values: "GET_VALUES whose names can't be read"
        case .stalledRecord: "a record that didn't arrive whole in time"
        }
    }
}
