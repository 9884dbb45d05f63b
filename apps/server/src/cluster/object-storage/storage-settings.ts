import type { ServerConfig } from '../../config/schema.ts'

/** The options of the object storage. */
export type StorageConfig = Pick<
  ServerConfig,
  'storageUrl' | 'storageBucket' | 'storageRegion' | 'storageAccessKey' | 'storageSecretKey'
>

/** A bucket and the key with which it is used. */
export interface StorageSettings {
  /** Address of the bucket, without a `/` at its end. */
  readonly bucketUrl: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

/** Names of buckets that every server takes, and old ones in capitals. */
const BUCKET = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{1,61})[A-Za-z0-9]$/
const REGION = /^[A-Za-z0-9-]{1,64}$/
/** What stands in a signature: no spaces, no `/`, no commas. */
const ACCESS_KEY = /^[\w.:+=@%-]{1,256}$/

/** Reads the settings; undefined where no storage is set. Settings with {@link listStorageProblems} give undefined. */
export function readStorageSettings(config: StorageConfig): StorageSettings | undefined {
  const { storageUrl = '', storageBucket: bucket = '', storageRegion: region } = config
  const { storageAccessKey: accessKey = '', storageSecretKey: secretKey = '' } = config
  if (storageUrl === '' || listStorageProblems(config).length > 0) return undefined
  const url = new URL(storageUrl)
  const path = url.pathname.replace(/\/+$/, '')
  const base = `${url.origin}${path}`
  // The bucket is a part of the host, or else the first part of the path.
  const isInHost = url.hostname.startsWith(`${bucket.toLowerCase()}.`)
  return { bucketUrl: isInHost ? base : `${base}/${bucket}`, bucket, region, accessKey, secretKey }
}

/** Lists what is missing or wrong, each by its name; empty where no storage is set. */
export function listStorageProblems(config: StorageConfig): string[] {
  const given = {
    SVC_STORAGE_URL: config.storageUrl,
    SVC_STORAGE_BUCKET: config.storageBucket,
    SVC_STORAGE_ACCESS_KEY: config.storageAccessKey,
    SVC_STORAGE_SECRET_KEY: config.storageSecretKey,
  }
  const missing = Object.entries(given).flatMap(([name, value = '']) => (value === '' ? [name] : []))
  if (missing.length === Object.keys(given).length) return []
  const problems = missing.length > 0 ? [`needs ${missing.join(', ')} for the object storage`] : []
  const { storageUrl = '', storageBucket = '', storageRegion, storageAccessKey = '' } = config
  if (storageUrl !== '' && !isAddress(storageUrl)) {
    problems.push('needs SVC_STORAGE_URL as http://host[:port] or https://host[:port], without a user or a query')
  }
  if (storageBucket !== '' && !BUCKET.test(storageBucket)) {
    problems.push('needs SVC_STORAGE_BUCKET with 3 to 63 letters, digits, ".", "-" or "_"')
  }
  if (storageAccessKey !== '' && !ACCESS_KEY.test(storageAccessKey)) {
    problems.push('needs SVC_STORAGE_ACCESS_KEY without spaces, commas and "/"')
  }
  if (!REGION.test(storageRegion)) problems.push('needs SVC_STORAGE_REGION as a name such as us-east-1')
  return problems
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash, pathname } = new URL(text)
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  return ['http:', 'https:'].includes(protocol) && isPlain && /^[\w/.~-]*$/.test(pathname)
}
