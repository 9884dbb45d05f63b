import { createHttpUpstream } from '@svc/http-client'
import { type RunningS3, startS3 } from '@svc/test-kit'
import { afterAll } from 'vitest'
import { systemClock as clock } from '../../../clock.ts'
import { createObjectStorage, type ObjectStorage } from '../object-storage.ts'
import { readStorageSettings, type StorageConfig } from '../storage-settings.ts'

/** A real server with its client, both closed after the tests of the file. */
export interface TestStorage {
  readonly s3: RunningS3
  /** Opens the storage. */
  open(changes?: Partial<StorageConfig>): ObjectStorage
}

/** Starts a server for the tests of a file. */
export async function useStorage(): Promise<TestStorage> {
  const s3 = await startS3()
  const client = createHttpUpstream()
  afterAll(async () => {
    await client.close()
    await s3.close()
  })
  return {
    s3,
    open(changes = {}) {
      const settings = readStorageSettings({
        storageUrl: s3.url,
        storageBucket: s3.bucket,
        storageRegion: 'us-east-1',
        storageAccessKey: s3.accessKey,
        storageSecretKey: s3.secretKey,
        ...changes,
      })
      if (settings === undefined) throw new Error('settings')
      return createObjectStorage(settings, { client, clock })
    },
  }
}
