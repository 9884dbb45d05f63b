import { describe, expect, it } from 'vitest'
import { AwsV4Signer } from './sign-library.ts'
import { readStorageSettings } from './storage-settings.ts'

// The examples of "Signature Calculations for the Authorization Header" of the reference of S3, with its key.
const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const HOST = 'https://examplebucket.s3.amazonaws.com'

describe('signatures', () => {
  it.each([
    ['GET', '/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['GET', '/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('of %s %s is the one of the reference', async (method, path, signature) => {
    const signer = new AwsV4Signer({
      ...KEY,
      method,
      url: `${HOST}${path}`,
      headers: { 'x-amz-content-sha256': EMPTY },
      datetime: '20130524T000000Z',
      service: 's3',
      region: 'us-east-1',
    })
    const { headers } = await signer.sign()
    expect(headers.get('authorization')?.split('Signature=')[1]).toBe(signature)
  })
})

describe('the address of a bucket', () => {
  const read = (storageUrl: string, storageBucket: string) =>
    readStorageSettings({
      storageUrl,
      storageBucket,
      storageRegion: 'eu-1',
      storageAccessKey: 'id',
      storageSecretKey: 'secret',
    })?.bucketUrl

  it('has the bucket in its path, or in its host where that begins with it', () => {
    expect(read('http://minio:9000', 'svc')).toBe('http://minio:9000/svc')
    expect(read('https://gateway/s3/', 'svc')).toBe('https://gateway/s3/svc')
    expect(read('https://svc.s3.eu-1.amazonaws.com/', 'svc')).toBe('https://svc.s3.eu-1.amazonaws.com')
    expect(read('https://svc-other.example.org', 'svc')).toBe('https://svc-other.example.org/svc')
    expect(read('', 'svc')).toBeUndefined()
  })
})
