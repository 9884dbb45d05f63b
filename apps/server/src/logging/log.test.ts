import { SvcError, toSvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { createLogger, type RootLogger } from './log.ts'

function collect(format: 'text' | 'json', level = 'info'): { log: RootLogger; lines: string[] } {
  const lines: string[] = []
  return { log: createLogger({ level, format, destination: { write: (line) => lines.push(line) } }), lines }
}

const parse = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? 'null') as Record<string, unknown>

describe('an error in the log', () => {
  const failure = () =>
    new SvcError('internal', 'could not load model "m": no file x.gguf', {
      code: 'model_load_failed',
      cause: new Error('no file x.gguf', { cause: new Error('ENOENT') }),
    })

  it('of an expected kind is one readable line', () => {
    const { log, lines } = collect('text')
    log.error({ model: 'm', err: failure() }, 'model could not be loaded')
    expect(lines).toHaveLength(1)
    expect(lines[0]?.slice(13)).toBe(
      'ERROR model could not be loaded: could not load model "m": no file x.gguf: ENOENT  model=m\n',
    )
  })

  it('that was foreseen has code, message and causes but no stack in JSON', () => {
    const { log, lines } = collect('json')
    log.error({ err: failure() }, 'failed')
    expect(parse(lines[0])).toMatchObject({
      level: 'error',
      err: { code: 'model_load_failed', message: 'could not load model "m": no file x.gguf', cause: { type: 'Error' } },
    })
    expect(lines[0]).not.toContain('stack')
  })

  it('has its stack at debug, from the moment the level changes', () => {
    const { log, lines } = collect('text')
    log.error({ err: failure() }, 'failed')
    log.level = 'debug'
    log.error({ err: failure() }, 'failed')
    log.child({}).error({ err: failure() }, 'failed')
    expect(lines.map((line) => /\n {4}at .*log\.test/.test(line))).toEqual([false, true, true])
  })

  it('of an unexpected kind always has its stack; errors of the system are expected', () => {
    const { log, lines } = collect('json')
    log.error({ err: new TypeError('x is not a function') }, 'failed')
    log.error({ err: Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' }) }, 'failed')
    expect(parse(lines[0])).toMatchObject({ err: { stack: expect.stringContaining('log.test') } })
    expect(parse(lines[1])).toMatchObject({ err: { message: 'EMFILE', code: 'EMFILE' } })
    expect(lines[1]).not.toContain('stack')
  })

  it('that wraps an unexpected one has the stack of that one', () => {
    const { log, lines } = collect('text')
    const inner = new TypeError('x is not a function')
    inner.stack = 'TypeError: x is not a function\n    at inner (file.js:1:2)'
    log.warn({ err: toSvcError(inner) }, 'stream failed')
    expect(lines[0]?.slice(13)).toBe(
      'WARN  stream failed: internal error: x is not a function\n    at inner (file.js:1:2)\n',
    )
  })

  it('that is not an Error is told as text', () => {
    const { log, lines } = collect('text')
    log.error({ err: 'gone' }, 'failed')
    expect(lines[0]?.slice(13)).toBe('ERROR failed: gone\n')
  })
})

describe('LOG-1: a line of text', () => {
  it('contains no line end, control character or direction mark from foreign text', () => {
    const { log, lines } = collect('text', 'debug')
    const hostile = 'a\r\n00:00:00.000 INFO  forged\u001b[2J\u009b\u202e\u2066\u2028'
    log.warn({ path: hostile, err: new Error(`${hostile}\n    at forged (frame)`) }, 'seen')
    expect(lines).toHaveLength(1)
    const [entry = '', ...frames] = (lines[0] ?? '').trimEnd().split('\n')
    expect(entry).toContain('path=a\\u000d\\u000a00:00:00.000 INFO  forged\\u001b[2J\\u009b\\u202e\\u2066\\u2028')
    expect(lines[0]?.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    for (const frame of frames) expect(frame).toMatch(/^ {4}at /)
  })
})
