import { inject } from 'vitest'
import type { HttpReader } from '../../src/http/listen.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by the project that runs the tests about HTTP a second time. */
    readonly httpReader?: HttpReader
  }
}

/** The parser of requests in the servers that tests start. */
export const HTTP_READER: HttpReader = inject('httpReader') ?? 'own'
