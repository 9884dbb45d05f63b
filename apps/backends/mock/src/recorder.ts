import { appendFileSync } from 'node:fs'
import type { HandlerContext } from '@svc/backend-kit'
import type { MockRecord } from './records.ts'

/** Follows one call. */
export interface CallRecord {
  end(outcome: NonNullable<MockRecord['outcome']>, pieces?: number): void
}

/** Records calls. Lines are written synchronously, so that they survive a crash right after. */
export interface Recorder {
  start(rpc: string, request: unknown, context: HandlerContext): CallRecord
}

const UNCOUNTED = new Set(['Health', 'Status'])

/** Creates a recorder; it calls `file` for each line, because a load sets the file. */
export function createRecorder(file: () => string | undefined): Recorder {
  let last = 0
  let concurrent = 0

  function write(line: Omit<MockRecord, 'pid' | 'at' | 'concurrent'>): void {
    const path = file()
    if (path === undefined) return
    const record = { ...line, pid: process.pid, at: performance.timeOrigin + performance.now(), concurrent }
    appendFileSync(path, `${JSON.stringify(record, toJson)}\n`)
  }

  return {
    start(rpc, request, { signal, metadata }) {
      last += 1
      const id = last
      const weight = UNCOUNTED.has(rpc) ? 0 : 1
      concurrent += weight
      write({ event: 'start', rpc, id, request, metadata })
      const cancel = () => write({ event: 'cancel', rpc, id })
      if (signal.aborted) cancel()
      else signal.addEventListener('abort', cancel, { once: true })
      return {
        end(outcome, pieces) {
          signal.removeEventListener('abort', cancel)
          concurrent -= weight
          write({ event: 'end', rpc, id, outcome, ...(pieces === undefined ? {} : { pieces }) })
        },
      }
    },
  }
}

function toJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (isSerializedBuffer(value)) return Buffer.from(value.data).toString('base64')
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

/** JSON.stringify turns a Buffer into this before a replacer sees it. */
function isSerializedBuffer(value: unknown): value is { readonly data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
}
