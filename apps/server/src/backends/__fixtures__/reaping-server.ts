/** The server that starts after a killed one: ends what that left behind. Argument: record file. */
import { systemClock } from '../../clock.ts'
import { reapOrphans } from '../process-record.ts'
import { silentLogger } from './silent-logger.ts'

const ended = await reapOrphans({ file: process.argv[2] ?? '', clock: systemClock, logger: silentLogger })
process.stdout.write(String(ended))
