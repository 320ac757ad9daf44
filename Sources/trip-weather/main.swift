import Glibc
import TripWeather

exit(Program.run(arguments: CommandLine.arguments, environment: Program.environment))
