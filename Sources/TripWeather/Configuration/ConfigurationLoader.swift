internal import FoundationEssentials
internal import Weather

/// Putting a configuration together: the defaults, the file over them, the environment over both.
extension Configuration {
    /// Where the file is looked for if nobody names one; it may be missing there.
    private static let usualFile = "/etc/trip-weather.json5"

    /// Which file is read, and whether it must be there: `--config`, else `TRIP_WEATHER_CONFIG`, else the usual.
    static func file(
        argument: String?, environment: [String: String]
    ) -> (path: String, isRequired: Bool) {
        let named = argument ?? environment["TRIP_WEATHER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        return (named ?? usualFile, named != nil)
    }

    /// Reads the file and the environment.
    init(argument: String?, environment: [String: String]) throws(OperatorFault) {
        let (path, isRequired) = Configuration.file(argument: argument, environment: environment)
        var contents: [UInt8]?
        do {
            contents = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
            if isRequired || !isMissing {
                throw OperatorFault(
                    "\(path): can't be read (\(isMissing ? "there is no such file" : "\(error)"))")
            }
        }
        try self.init(file: contents.map { (path, $0) }, environment: environment)
    }

    /// Puts a configuration together from what was read.
    ///
    /// - Throws: every fault, each with where it stands and what to do.
    init(file: (name: String, contents: [UInt8])?, environment: [String: String]) throws(OperatorFault) {
        var reading = Reading()
        if let file { reading.read(file.contents, of: file.name) }
        reading.read(environment)
        if reading.faults.isEmpty { reading.faults = reading.configuration.nestingFaults }
        guard reading.faults.isEmpty else { throw OperatorFault(reading.faults) }
        self = reading.configuration
        site.isArchiveApart = openMeteo.archiveURL != openMeteo.forecastURL
    }
}

/// A configuration that is being put together.
private struct Reading {
    var configuration = Configuration()
    var faults: [String] = []

    mutating func read(_ contents: [UInt8], of file: String) {
        let root: JSONValue
        do {
            root = try JSONValue(contents, isJSON5: true)
        } catch {
            faults.append(
                "\(file): not valid JSON5 (the decoder tells no line; look for a missing comma or quote)")
            return
        }
        guard case .object(let sections) = root else {
            faults.append("\(file): the file holds \(root.kind), but must hold an object with sections")
            return
        }
        var keys: [String: ConfigurationKey] = [:]
        for key in ConfigurationKeys.all {
            for path in [key.path, key.formerPath].compactMap(\.self) { keys[path] = key }
        }
        let sectionNames = Set(keys.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
        var given: Set<String> = []
        for (section, value) in sections.sorted(by: { $0.key < $1.key }) {
            guard sectionNames.contains(section) else {
                faults.append("\(file): \(section): there is no such section")
                continue
            }
            guard case .object(let members) = value else {
                faults.append("\(file): \(section): holds \(value.kind), but must hold a section")
                continue
            }
            for (member, value) in members.sorted(by: { $0.key < $1.key }) {
                let path = "\(section).\(member)"
                guard let key = keys[path] else {
                    faults.append("\(file): \(path): there is no such key")
                    continue
                }
                if path != key.path { warn(of: path, renamedTo: key.path, in: "\(file): ") }
                if !given.insert(key.path).inserted {
                    faults.append("\(file): \(key.path): is given twice, once under its former name")
                }
                assign([value], shownAs: value.kind, to: key, from: file)
            }
        }
    }

    mutating func read(_ environment: [String: String]) {
        var known: Set<String> = ["TRIP_WEATHER_CONFIG"]
        for key in ConfigurationKeys.all {
            let variable = key.environmentVariable
            known.insert(variable)
            if let former = key.formerPath.map(ConfigurationKey.environmentVariable(of:)) {
                known.insert(former)
                if let text = environment[former] {
                    warn(of: former, renamedTo: variable, in: "")
                    if environment[variable] != nil {
                        faults.append("\(variable): \(key.path): is given twice, once under its former name")
                    }
                    assign(text, to: key, from: former)
                }
            }
            if let text = environment[variable] { assign(text, to: key, from: variable) }
        }
        for variable in environment.keys.sorted()
        where variable.hasPrefix("TRIP_WEATHER_") && !known.contains(variable) {
            faults.append("\(variable): no key of the configuration has this variable")
        }
    }

    /// A variable is text: it is read as whichever kind of value the key takes.
    private mutating func assign(_ text: String, to key: ConfigurationKey, from variable: String) {
        var readings: [JSONValue] = [.text(text)]
        if let number = Double(text) { readings.append(.number(number)) }
        if text == "true" || text == "false" { readings.append(.flag(text == "true")) }
        readings.append(.list(text.split(separator: ",").map { .text(String($0)) }))
        assign(readings, shownAs: "\"\(text.prefix(80))\"", to: key, from: variable)
    }

    private mutating func assign(
        _ readings: [JSONValue], shownAs shown: String, to key: ConfigurationKey, from source: String
    ) {
        if readings.contains(where: { key.assign($0, &configuration) }) {
            configuration.origins[key.path] = source
        } else {
            let found = key.isSecret ? "something else" : shown
            faults.append("\(source): \(key.path): takes \(key.takes), and not \(found)")
        }
    }

    private mutating func warn(of former: String, renamedTo name: String, in source: String) {
        configuration.warnings.append(
            "\(source)\(former) is now called \(name): the former name is read until 0.4")
    }
}

extension Configuration {
    /// Durations that are longer than the one around them.
    var nestingFaults: [String] {
        ConfigurationKeys.all.compactMap { key in
            guard let inner = key.duration(self),
                let outerKey = ConfigurationKeys.all.first(where: { $0.path == key.outerPath }),
                let outer = outerKey.duration(self), inner > outer
            else { return nil }
            return "\(key.path): \(inner.asSetting) is longer than \(outerKey.path), \(outer.asSetting); "
                + "it must end inside it"
        }
    }

    /// A line a key: path, value in force, where it comes from. Secrets are named, not shown.
    var listing: String {
        ConfigurationKeys.all.map { key in
            let value = key.show(self)
            let shown = key.isSecret && value != "\"\"" ? "(set)" : value
            return "\(key.path): \(shown)  // \(origins[key.path] ?? "default")"
        }.joined(separator: "\n")
    }

    /// Takes over the values that a running program can take.
    ///
    /// - Returns: The keys that changed, and those that differ but need a restart.
    mutating func reload(from new: Configuration) -> (changed: [String], pending: [String]) {
        let different = ConfigurationKeys.all.filter { $0.show(new) != $0.show(self) }
        for key in different where key.isReloadable { key.copy(new, &self) }
        return (
            different.filter(\.isReloadable).map(\.path), different.filter { !$0.isReloadable }.map(\.path)
        )
    }
}
