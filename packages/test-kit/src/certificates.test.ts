import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createTestCa } from './certificates.ts'
import { listenOnFreePort } from './http-server.ts'

describe('createTestCa', () => {
  it('signs certificates for all names asked for and no other', () => {
    const ca = createTestCa()
    const authority = new X509Certificate(ca.cert)
    const leaf = new X509Certificate(ca.issue(['api.example.com', '127.0.0.1']).cert)
    expect(authority.ca).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(leaf.checkIssued(authority)).toBe(true)
    expect(leaf.verify(authority.publicKey)).toBe(true)
    expect(leaf.checkHost('api.example.com')).toBe('api.example.com')
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(leaf.checkHost('example.com')).toBeUndefined()
  })

  it('is believed by a client that trusts it, and by no other', async () => {
    const ca = createTestCa()
    const server = createServer(ca.issue(['localhost']), (socket) => socket.end('hello'))
    const port = await listenOnFreePort(server)
    const options = { host: '127.0.0.1', port, servername: 'localhost' }
    const trusting = connect({ ...options, ca: ca.cert })
    expect(String((await once(trusting, 'data'))[0])).toBe('hello')
    const suspicious = connect({ ...options, ca: createTestCa().cert })
    await expect(once(suspicious, 'secureConnect')).rejects.toThrow()
    server.close()
  })
})
