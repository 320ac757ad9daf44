internal import Storage

/// The disk's numbers as metrics.
enum DiskMetrics {
    static func write(
        reads: SQLiteDiskCache.Counters, writes: WriteQueueCounters, file: DisposableStoreCounters,
        to text: inout MetricsText
    ) {
        text.family("disk_entries_read_total", .counter, "Entries looked for on disk.")
        text.sample("disk_entries_read_total", [("result", "found")], reads.found)
        text.sample("disk_entries_read_total", [("result", "missing")], reads.missing)
        text.single(
            "disk_reads_failed_total", .counter, "Reads that the disk answered with an error.",
            file.failedReads)
        text.single(
            "disk_reads_late_total", .counter, "Reads that were not waited for any longer.", reads.late)
        text.family("disk_writes_total", .counter, "Writes offered to the disk by what became of them.")
        text.sample("disk_writes_total", [("outcome", "saved")], writes.written)
        text.sample("disk_writes_total", [("outcome", "dropped")], writes.dropped)
        text.sample("disk_writes_total", [("outcome", "failed")], writes.failed)
        text.single("disk_writes_waiting", .gauge, "Writes that wait for the disk.", writes.waiting)
        text.single(
            "disk_files_discarded_total", .counter,
            "Files thrown away for being damaged or of a newer version.",
            file.discarded)
        text.single(
            "disk_files_moved_total", .counter, "Times that the file was found deleted or replaced.",
            file.moved)
    }
}
