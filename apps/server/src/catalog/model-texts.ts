import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SvcError } from '@svc/errors'
import { toFileError } from '../files/file-error.ts'
import { openInside } from '../files/safe-path.ts'
import type { ModelConfig } from './model-config.ts'
import { MODEL_FILE_LIMITS } from './yaml/limits.ts'

/** Reads the file that describes a model. @throws {SvcError} `internal`, code `file_failed` */
export async function readModelText({ folder, file }: Pick<ModelConfig, 'folder' | 'file'>): Promise<string> {
  // The path of a list is absolute.
  return readFile(resolve(folder, file), 'utf8').catch((error: unknown) => {
    throw toFileError(error, 'read', file)
  })
}

/** Reads a file with mistakes. Links, devices and files beyond the limit of model files stay closed. */
export async function readBrokenText(folder: string, file: string): Promise<string> {
  const handle = await openInside(folder, file, { what: 'model file' })
  try {
    if ((await handle.stat()).size <= MODEL_FILE_LIMITS.bytes) return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
  throw new SvcError('too_large', `the model file is larger than ${MODEL_FILE_LIMITS.bytes} bytes`, {
    code: 'model_file_too_large',
  })
}
