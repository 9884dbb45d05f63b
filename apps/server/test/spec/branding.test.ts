import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)])
const SVG = Buffer.from(
  '<?xml version="1.0"?>\n<!-- a logo -->\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
)
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex')
const WEBP = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1')])
const ICO = Buffer.from('00000100010010100000', 'hex')
const MIB = 1024 * 1024

/** Sends a file in a form, as a browser does; the name and type of the file may lie. */
function upload(server: TestServer, kind: string, content: Buffer, field = 'file'): Promise<RawReply> {
  const boundary = 'form-boundary-1'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="logo.png"\r\nContent-Type: image/png\r\n\r\n`
  return server.call(`/api/branding/asset/${kind}`, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  })
}

const listFiles = (server: TestServer): Promise<string[]> => readdir(join(server.configDir, 'branding'))

describe('the images of an instance', () => {
  it('are set by content, shown at once, replaced, kept over a restart, and reset', async () => {
    await using first = await startTestServer()
    const { folder } = first
    const set = await upload(first, 'logo', PNG)
    expect([set.status, set.json()]).toEqual([200, expect.objectContaining({ logo_url: '/branding/asset/logo' })])
    const shown = await first.call('/branding/asset/logo')
    expect([shown.status, shown.headers['content-type'], shown.body]).toEqual([200, 'image/png', PNG])
    expect((await upload(first, 'logo', SVG)).status).toBe(200)
    expect(await listFiles(first)).toEqual(['logo.svg'])
    expect((await stat(join(first.configDir, 'branding', 'logo.svg'))).mode & 0o777).toBe(0o600)
    await first.server.close()
    await using second = await startTestServer({ folder })
    const svg = await second.call('/branding/asset/logo')
    expect(svg.body).toEqual(SVG)
    expect(svg.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    })
    const reset = await second.call('/api/branding/asset/logo', { method: 'DELETE' })
    expect([reset.status, reset.json()]).toEqual([200, expect.objectContaining({ logo_url: '/favicon.svg' })])
    expect((await second.call('/branding/asset/logo')).status).toBe(404)
    expect(await listFiles(second)).toEqual([])
  })

  it('may be of each type, whatever the client calls them', async () => {
    await using server = await startTestServer()
    for (const [content, type] of [
      [PNG, 'image/png'],
      [JPEG, 'image/jpeg'],
      [WEBP, 'image/webp'],
      [ICO, 'image/x-icon'],
      [SVG, 'image/svg+xml'],
    ] as const) {
      expect((await upload(server, 'favicon', content)).status, type).toBe(200)
      expect((await server.call('/branding/asset/favicon')).headers['content-type']).toBe(type)
    }
  })

  it.each([
    ['another kind', 'banner', PNG, 'file', 400, 'there is no such image'],
    ['no file', 'logo', PNG, 'image', 400, 'file is required'],
    ['HTML', 'logo', Buffer.from('<html><svg></svg></html>'), 'file', 400, 'unsupported type'],
    ['an empty file', 'logo', Buffer.alloc(0), 'file', 400, 'unsupported type'],
    ['a large file', 'logo', Buffer.concat([PNG, Buffer.alloc(5 * MIB)]), 'file', 413, 'larger than 5242880 bytes'],
  ])('are refused with %s, and nothing changes', async (_name, kind, content, field, status, message) => {
    await using server = await startTestServer()
    const reply = await upload(server, kind, content, field)
    expect([reply.status, reply.json()]).toEqual([status, { error: expect.stringContaining(message) }])
    expect((await server.call('/api/branding')).json()).toMatchObject({ logo_url: '/favicon.svg' })
  })

  it('are refused as JSON, and without runtime settings', async () => {
    await using server = await startTestServer({ flags: ['--disable-runtime-settings'] })
    expect((await server.post('/api/branding/asset/logo', {})).status).toBe(400)
    expect((await upload(server, 'logo', PNG)).status).toBe(404)
    expect((await server.call('/branding/asset/logo')).status).toBe(404)
  })

  it('have names that only their own routes change', async () => {
    await using server = await startTestServer()
    expect((await server.post('/api/settings', { logo_file: '../x.png' })).status).toBe(400)
    expect((await server.post('/api/settings', { instance_name: 'Lab', instance_tagline: 'ours' })).status).toBe(200)
    expect((await server.call('/api/branding')).json()).toMatchObject({
      instance_name: 'Lab',
      instance_tagline: 'ours',
    })
  })
})
