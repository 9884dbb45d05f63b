import { randomBytes } from 'node:crypto'

/**
 * Makes ids of records that grow with time, so that new rows are together in the index of a table. They are unique
 * among all processes.
 */
export function createRecordIds(): (at: number) => string {
  const own = randomBytes(8).toString('hex')
  let counter = 0
  return (at) => {
    counter = (counter + 1) % 0x1000000
    const time = Math.max(0, Math.trunc(at)).toString(16).padStart(12, '0')
    return `${time}${counter.toString(16).padStart(6, '0')}${own}`
  }
}
