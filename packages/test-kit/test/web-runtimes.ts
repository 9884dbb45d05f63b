import { EdgeVM } from '@edge-runtime/vm'
import { chromium } from 'playwright-core'

/** What a module printed, a line each. */
type Printed = readonly string[]

/** Runs a bundled module in Chromium, on a page without an origin. */
export async function runInBrowser(code: string, executablePath: string): Promise<Printed> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  try {
    const page = await browser.newPage()
    const printed: string[] = []
    page.on('console', (message) => void printed.push(message.text()))
    // it resolves when the module is through, with all that it awaits
    const blob = `new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })`
    await page.evaluate(`import(URL.createObjectURL(${blob})).then(() => undefined)`)
    return printed
  } finally {
    await browser.close()
  }
}

/** Runs a bundled module in a context with the names of the web platform alone, and without code from strings. */
export async function runAtEdge(code: string): Promise<Printed> {
  const printed: string[] = []
  const vm = new EdgeVM({ codeGeneration: { strings: false, wasm: false } })
  Object.assign(vm.context, { console: { log: (text: string) => void printed.push(text) } })
  await vm.evaluate(`(async () => {${code}\n})()`)
  return printed
}
