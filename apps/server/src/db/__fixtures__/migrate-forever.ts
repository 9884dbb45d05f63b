import { systemClock } from '../../clock.ts'
import { loadSqliteEngine, SQLITE_ENGINES } from '../sqlite-engine.ts'
import { migrateSqlite } from '../sqlite-migrate.ts'

/** Starts a migration of many statements, to be killed in the middle. */
const [path = '', name = ''] = process.argv.slice(2)
const engine = SQLITE_ENGINES.find((each) => each === name)
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const client = loadSqliteEngine({ logger, engine }).open(path)
client.pragma('journal_mode = WAL')
const statements = Array.from({ length: 200_000 }, (_, index) => `INSERT INTO filled VALUES (${index}, '${'x'.repeat(500)}')`)
process.stdout.write('migrating\n')
migrateSqlite(client, {
  migrations: [{ id: 1, hash: 'one', statements: ['CREATE TABLE filled (id INTEGER PRIMARY KEY, text TEXT)', ...statements] }],
  where: path,
  now: systemClock.now(),
})
process.stdout.write('done\n')
