import { join } from 'node:path'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { openPrivateFiles, type PrivateFiles } from '../files/private-files.ts'
import { createGeneratedFiles, type GeneratedFiles } from '../generated-files/generated-files.ts'
import { hashWriter, readServerId } from '../operations/server-id.ts'
import type { Clock, Logger } from '../ports.ts'
import type { SharedBytes } from '../stored-files/shared-bytes.ts'
import type { Closers } from './closers.ts'

/** Folder of uploads in the data folder. */
const UPLOADS = ['tmp', 'forms']
/** Folder of generated files in the data folder. */
const GENERATED = 'generated'

/** Files that requests bring and that backends write. */
export interface MediaFiles {
  /** Files of forms, and other media of requests. */
  readonly uploads: PrivateFiles
  /** Files that backends write, until they are sent or kept. */
  readonly drafts: PrivateFiles
  readonly generated: GeneratedFiles
}

/** Options of {@link openMediaFiles}. */
export interface MediaFilesParts {
  readonly config: Pick<
    ServerConfig,
    'dataPath' | 'uploadPath' | 'generatedContentPath' | 'generatedContentKeepMs' | 'generatedContentLimitBytes'
  >
  readonly database: Pick<Database, 'queries'>
  /** Gives the bytes to other front ends. @default each server has its own */
  readonly bytes?: SharedBytes | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Opens the folders of media. Folders outside the data folder may be shared by servers: each has its own temporary files
 * in them. The data folder must be locked.
 */
export async function openMediaFiles(
  { config, database, bytes, clock, logger }: MediaFilesParts,
  closers: Closers,
): Promise<MediaFiles> {
  const { dataPath, uploadPath, generatedContentPath } = config
  const own = hashWriter(await readServerId(dataPath))
  const uploads = await openPrivateFiles(
    uploadPath === undefined ? join(dataPath, ...UPLOADS) : join(uploadPath, `svc-uploads-${own}`),
  )
  closers.push(() => uploads.close())
  const folder = generatedContentPath ?? join(dataPath, GENERATED)
  // A draft becomes a generated file by a new name, so both lie on one file system.
  const drafts = await openPrivateFiles(join(folder, `.drafts-${own}`))
  closers.push(() => drafts.close())
  const generated = createGeneratedFiles({
    folder,
    database,
    keepMs: config.generatedContentKeepMs,
    maxTotalBytes: config.generatedContentLimitBytes,
    bytes,
    // Others may share a folder elsewhere.
    ownsFolder: bytes !== undefined && generatedContentPath === undefined,
    clock,
    logger,
  })
  closers.push(() => generated.close())
  return { uploads, drafts, generated }
}
