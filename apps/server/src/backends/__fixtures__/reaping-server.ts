/** A server that starts after a killed one and ends its leftover processes. Argument: record file. */
import { systemClock } from '../../clock.ts'
import { reapOrphans } from '../process-record.ts'
import { silentLogger } from './silent-logger.ts'

const ended = await reapOrphans({ file: process.argv[2] ?? '', clock: systemClock, logger: silentLogger })
process.stdout.write(String(ended))
