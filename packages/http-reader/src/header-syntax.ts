/** A value that a header can have; a list becomes one line for each element. */
export type HeaderValue = string | number | readonly string[]

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/**
 * Checks that a header stays one line of Latin-1.
 *
 * @throws {TypeError} for a name or a value that no header can have
 */
export function checkHeader(name: string, value: HeaderValue): void {
  if (!TOKEN.test(name)) throw new TypeError(`not the name of a header: ${JSON.stringify(name)}`)
  for (const line of Array.isArray(value) ? value : [value]) {
    // Other values could be another text each time they are read.
    const isValue = typeof line === 'string' ? !FORBIDDEN_IN_VALUE.test(line) : typeof line === 'number'
    if (!isValue) throw new TypeError(`a value that header ${name} cannot have`)
  }
}
