/** Maximum length of the id of a request inside the ids of its parts. */
const MAX_LENGTH = 100

/** Gives the id of one of many parts of a request, such as a message of its socket. @param number from 1 */
export function numberId(requestId: string, number: number): string {
  return `${requestId.slice(0, MAX_LENGTH)}-${number}`
}
