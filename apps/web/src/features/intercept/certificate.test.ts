import { describe, expect, it } from 'vitest'
import { computeFingerprint, readPem, readValidity } from './certificate.ts'

/** Made with OpenSSL, whose description of it is in the tests. */
const PEM = `-----BEGIN CERTIFICATE-----
MIIBozCCAUmgAwIBAgIUOGJNWx4dkBSIGmMgGiK9/WzHhaYwCgYIKoZIzj0EAwIw
JzETMBEGA1UEAwwKZXhhbXBsZSBDQTEQMA4GA1UECgwHZXhhbXBsZTAeFw0yNjEx
MjcyMDQ3NTFaFw0zNjExMjQyMDQ3NTFaMCcxEzARBgNVBAMMCmV4YW1wbGUgQ0Ex
EDAOBgNVBAoMB2V4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARUyKlc
H+aRY34KTFy9liBhSF8Fkw9WmcsOq2EDEKad9mv+Pz3gQE+WXHy0n241CvO2LqoS
hNXZ9E8L5F6J57XQo1MwUTAdBgNVHQ4EFgQUC6mIKBdZP4TVLDlRhXV7+BQiOSIw
HwYDVR0jBBgwFoAUC6mIKBdZP4TVLDlRhXV7+BQiOSIwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNIADBFAiB/9xUamKz8hkgMBfZQUb3ZP/id0zk88MKLba32
7nrrYgIhAPWkevbi2SjgoXGTA3a9esbIEHSPK8pb4Aj0CPyfnL7v
-----END CERTIFICATE-----
`
const FINGERPRINT = '66:1A:A6:B8:4F:5C:4B:0E:13:AB:CB:53:E1:6B:89:D7:99:B4:95:A7:B3:CF:29:9E:A6:DD:62:95:90:35:77:4A'

describe('a certificate', () => {
  it('gives its fingerprint and validity', async () => {
    const certificate = readPem(`# the authority\n${PEM}`)
    expect(await computeFingerprint(certificate)).toBe(FINGERPRINT)
    expect(readValidity(certificate)).toEqual({
      from: new Date('2026-11-27T20:47:51Z'),
      until: new Date('2036-11-24T20:47:51Z'),
    })
  })

  it('reads times of both forms, and a certificate without a version', () => {
    const time = (tag: number, text: string) => [tag, text.length, ...new TextEncoder().encode(text)]
    const validity = [...time(0x17, '991231235959Z'), ...time(0x18, '20510203040506Z')]
    const signed = [0x02, 1, 1, 0x30, 0, 0x30, 0, 0x30, validity.length, ...validity]
    const bytes = new Uint8Array([0x30, signed.length + 2, 0x30, signed.length, ...signed])
    expect(readValidity(bytes)).toEqual({
      from: new Date('1999-12-31T23:59:59Z'),
      until: new Date('2051-02-03T04:05:06Z'),
    })
  })

  it('refuses other texts and bytes', () => {
    expect(() => readPem('no certificate')).toThrow('no certificate')
    expect(() => readValidity(readPem(PEM).subarray(0, 40))).toThrow('no certificate')
  })
})
