import { describe, expect, it } from 'vitest'
import { toFileError } from './file-error.ts'

describe('a failed file operation', () => {
  const denied = `permission denied for user ${process.geteuid?.()}, group ${process.getegid?.()}`
  it.each([
    ['ENOSPC', 'written', 'insufficient_storage', 'disk_full', 'the disk is full'],
    ['EDQUOT', 'written', 'insufficient_storage', 'disk_full', 'the disk quota is used up'],
    ['EACCES', 'written', 'insufficient_storage', 'not_writable', denied],
    ['EPERM', 'deleted', 'insufficient_storage', 'not_writable', denied],
    ['EACCES', 'made', 'insufficient_storage', 'not_writable', denied],
    ['EROFS', 'written', 'insufficient_storage', 'not_writable', 'the file system is read-only'],
    ['EACCES', 'read', 'internal', 'file_failed', 'permission denied'],
    ['EIO', 'written', 'internal', 'file_failed', 'EIO'],
    ['ELOOP', 'written', 'internal', 'file_failed', 'it is a symbolic link'],
  ])('with %s, %s, is of a kind', (code, doing, kind, expected, reason) => {
    const error = toFileError(Object.assign(new Error('failed'), { code }), doing, '/models/a.gguf')
    const { kind: found, code: named, message } = error
    expect([found, named, message]).toEqual([kind, expected, `a.gguf could not be ${doing}: ${reason}`])
  })
})
