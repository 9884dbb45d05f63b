// Does what Node warns of, and writes its log to the standard output.
import { EventEmitter } from 'node:events'
import { createLogger } from '../log.ts'
import { logRuntimeWarnings } from '../runtime-warnings.ts'

logRuntimeWarnings(createLogger({ level: 'debug', format: 'json' }))
const closing = new AbortController()
const signals = [closing.signal, AbortSignal.timeout(10), AbortSignal.any([closing.signal, new AbortController().signal])]
const emitter = new EventEmitter()
for (let count = 0; count < 50; count += 1) {
  for (const signal of signals) signal.addEventListener('abort', () => count)
  emitter.on('change', () => count)
}
process.emitWarning('a plain one')
process.emitWarning('an old one', 'DeprecationWarning', 'DEP0')
process.emitWarning('a new one', 'ExperimentalWarning')
