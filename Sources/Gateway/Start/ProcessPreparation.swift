internal import CLinux
internal import Glibc

/// Makes a process fit to hold connections; call it first in `main`, before any descriptor is opened.
///
/// Descriptors 0 to 2 that were closed by whoever started the process are opened on /dev/null (the FastCGI
/// specification, section 2.2, starts responders without 1 and 2): else a connection could become standard output,
/// and a stray line of text would go to a web server. A write to a closed connection becomes an error in place of
/// SIGPIPE. The soft limit of open files is raised to the hard one.
///
/// - Returns: How many descriptors the process may have.
@discardableResult
public func prepareProcess() -> Int {
    for descriptor: Int32 in 0...2 where clinux_fcntl_get(descriptor, F_GETFD) < 0 && errno == EBADF {
        // The lowest free descriptor is this one, since those below are open by now.
        _ = clinux_open("/dev/null", O_RDWR, 0)
    }
    signal(SIGPIPE, SIG_IGN)
    return Int(clinux_raise_descriptor_limit())
}
