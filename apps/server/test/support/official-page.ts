import { fileURLToPath } from 'node:url'
import { bundlePage, startUpstream } from '@svc/test-kit'
import { chromium } from 'playwright-core'
import { chromiumPath } from './chromium-call.ts'
import type { RealtimePage } from './realtime-page.ts'

/** A page of another origin with the official client, in Chromium. */
export interface OfficialPage extends RealtimePage, AsyncDisposable {}

/** Opens the page. Certificates are not checked. */
export async function openOfficialPage(): Promise<OfficialPage> {
  const script = await bundlePage(fileURLToPath(new URL('realtime-page.ts', import.meta.url)))
  const site = await startUpstream()
  site.replyWith(({ path }) =>
    path === '/page.js'
      ? { headers: { 'content-type': 'text/javascript' }, body: script }
      : {
          headers: { 'content-type': 'text/html' },
          body: '<!doctype html><script type="module" src="/page.js"></script>',
        },
  )
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${site.port}/`)
  await page.waitForFunction(() => Reflect.has(globalThis, 'realtimePage'))
  const call = (name: keyof RealtimePage, options: object): Promise<unknown> =>
    page.evaluate(`realtimePage.${name}(${JSON.stringify(options)})`)
  return {
    makeSecret: (options) => call('makeSecret', options) as ReturnType<RealtimePage['makeSecret']>,
    ask: (options) => call('ask', options) as ReturnType<RealtimePage['ask']>,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await site.close()
    },
  }
}
