import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { findDatabaseCode, isDamage, toDatabaseError } from './database-error.ts'

const failure = (code: string, cause?: unknown): Error =>
  Object.assign(new Error(`secret table ${code}`, { cause }), { code })

describe('a database error', () => {
  it.each([
    ['SQLITE_BUSY', 'unavailable', 'database_unavailable', 1000],
    ['SQLITE_BUSY_SNAPSHOT', 'unavailable', 'database_unavailable', 1000],
    ['SQLITE_FULL', 'insufficient_storage', 'disk_full', undefined],
    ['SQLITE_CONSTRAINT_UNIQUE', 'internal', 'database_failed', undefined],
    ['ECONNREFUSED', 'unavailable', 'database_unavailable', 1000],
    ['CONNECTION_CLOSED', 'unavailable', 'database_unavailable', 1000],
    ['57P01', 'unavailable', 'database_unavailable', 1000],
    ['08006', 'unavailable', 'database_unavailable', 1000],
    ['53300', 'unavailable', 'database_unavailable', 1000],
    ['53100', 'insufficient_storage', 'disk_full', undefined],
    ['42P01', 'internal', 'database_failed', undefined],
    ['22021', 'invalid_request', 'text_refused', undefined],
    ['28P01', 'internal', 'database_failed', undefined],
  ])('%s is %s', (code, kind, ours, retryAfterMs) => {
    for (const error of [failure(code), new Error('Failed query: …', { cause: failure(code) })]) {
      const found = toDatabaseError(error)
      expect([found.kind, found.code, found.retryAfterMs]).toEqual([kind, ours, retryAfterMs])
      expect(found.message).not.toContain('table')
      expect(found.cause).toBe(error)
    }
  })
  it('of another kind is internal, and ours stays ours', () => {
    expect(toDatabaseError('text').kind).toBe('internal')
    const own = new SvcError('not_found', 'x')
    expect(toDatabaseError(own)).toBe(own)
  })
  it('knows damage from the rest', () => {
    expect(isDamage(failure('SQLITE_NOTADB'))).toBe(true)
    expect(isDamage(failure('SQLITE_CORRUPT_INDEX'))).toBe(true)
    expect(isDamage(failure('SQLITE_CANTOPEN'))).toBe(false)
    expect(findDatabaseCode(new Error('no code'))).toBeUndefined()
  })
})
