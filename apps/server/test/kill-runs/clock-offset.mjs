// Moves the clock of a program of the kill runs: `node --import <this file>` with SVC_TEST_CLOCK_OFFSET_MS. Timers and
// the times of files stay as they are. The product knows nothing of it.
const offset = Number(process.env.SVC_TEST_CLOCK_OFFSET_MS ?? 0)
const readClock = Date.now

Date.now = () => readClock() + offset
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [Date.now()] : given, made),
  apply: () => new Date().toString(),
})
