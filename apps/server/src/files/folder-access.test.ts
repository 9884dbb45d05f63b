import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { describeFolderProblem, findFolderProblem } from './folder-access.ts'

describe('the models folder', () => {
  it('has no problem where it can be written, and one where it is gone', async () => {
    await using dir = await tempDir()
    expect(await findFolderProblem(dir.path)).toBeUndefined()
    expect(await findFolderProblem(join(dir.path, 'none'))).toEqual({
      reason: 'it does not exist',
      remedy: 'name another folder with --models-path',
    })
  })

  const user = { number: 1000, group: 100 }
  const DENIED = 'permission denied for user 1000, group 100, as whom the server runs'
  it.each([
    ['EACCES', 0, user, DENIED, 'run chown -R 1000:100 /models, or run the server as user 0, who owns it'],
    ['EPERM', 7, user, DENIED, 'run chown -R 1000:100 /models, or run the server as user 7, who owns it'],
    ['EACCES', 1000, user, DENIED, 'run chmod u+rwx /models'],
    ['EACCES', undefined, user, DENIED, 'run chown -R 1000:100 /models, or name another folder with --models-path'],
    ['EROFS', 0, user, 'the file system is read-only', 'mount it writable, or name another folder with --models-path'],
    ['ENOTDIR', 0, user, 'its folder is not a folder', 'name another folder with --models-path'],
    ['EACCES', 0, undefined, 'permission denied', 'name another folder with --models-path'],
  ])('with %s, owned by %s, has a reason and a remedy', (code, owner, numbers, reason, remedy) => {
    const error = Object.assign(new Error('failed'), { code })
    expect(describeFolderProblem(error, { folder: '/models', owner, user: numbers })).toEqual({ reason, remedy })
  })
})
