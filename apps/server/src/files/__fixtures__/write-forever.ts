import { writeFileAtomic } from '../write-file-atomic.ts'

/** Writes one file until it is killed, and prints each acknowledged write. */
const path = process.argv[2] ?? ''
for (let number = 1; ; number += 1) {
  await writeFileAtomic(path, JSON.stringify({ number, filling: String(number % 10).repeat(20_000) }), { mode: 0o600 })
  process.stdout.write(`${number}\n`)
}
