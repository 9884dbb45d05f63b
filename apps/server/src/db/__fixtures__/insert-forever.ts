import { systemClock } from '../../clock.ts'
import { openDatabase } from '../open-database.ts'
import { sqliteTables } from '../schema.ts'
import { SQLITE_ENGINES } from '../sqlite-engine.ts'

const { instance } = sqliteTables

/** Commits rows until it is killed, and prints each acknowledged one. */
const [dataPath = '', name = ''] = process.argv.slice(2)
const engine = SQLITE_ENGINES.find((each) => each === name)
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const database = await openDatabase({ dataPath, appVersion: '1.0.0', logger, clock: systemClock, engine })
if (database.dialect === 'sqlite') {
  const orm = await database.orm()
  for (let number = 1; ; number += 1) {
    orm.insert(instance).values({ key: `row-${systemClock.now()}-${number}`, value: 'x'.repeat(1000), updatedAt: number }).run()
    process.stdout.write(`${number}\n`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
