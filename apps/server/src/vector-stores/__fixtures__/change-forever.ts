/** Changes a store until it is killed, and says which change is on disk. Argument: the folder. */
import { openStores } from './open-stores.ts'

const stores = await openStores(process.argv[2] ?? '')
const store = { owner: 'callers', name: 'killed' } as const
const { signal } = new AbortController()
const filling = 'x'.repeat(150_000)
for (let number = 1; ; number++) {
  const value = Buffer.from(`${number} ${filling}`)
  // Both entries of a change are there or none, and the file is written anew now and then.
  await stores.set(store, [[1, 0], [0, 1]].map((key) => ({ key, value })), { signal })
  process.stdout.write(`${number}\n`)
}
