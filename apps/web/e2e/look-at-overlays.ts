import type { Page } from 'playwright-core'
import type { View } from './harness.ts'
import { dress, findLastingOverflow, findViolations } from './look.ts'
import type { Overlay, OverlayPage } from './overlays.ts'

const ANY_PART = '[role="dialog"], [role="alertdialog"], [role="menu"], [data-trigger] [role="listbox"]'

/** Whether the focus is in a part, and stays there if the part covers the page. */
async function findLostFocus(page: Page, part: string): Promise<readonly string[]> {
  const isInside = () =>
    page.evaluate((selector) => document.activeElement?.closest(selector) != null, part.replaceAll(', ', ','))
  if (!(await isInside())) return ['the focus is elsewhere']
  if (!/role="dialog"/.test(part) || (await page.locator('[role="dialog"]').count()) === 0) return []
  for (const key of ['Shift+Tab', 'Tab', 'Tab']) {
    await page.keyboard.press(key)
    if (!(await isInside())) return [`${key} leads out of it`]
  }
  return []
}

async function lookAt(page: Page, overlay: Overlay, width: number): Promise<readonly string[]> {
  const { part = ANY_PART, open, isBeside = false, close = () => page.keyboard.press('Escape') } = overlay
  await dress(page, width, 'light')
  await open(page)
  await page.locator(part).first().waitFor()
  const found = isBeside ? [] : [...(await findLostFocus(page, part))]
  const look = async (wide: number, theme: 'light' | 'dark') => {
    await dress(page, wide, theme)
    if (!(await page.locator(part).first().isVisible())) return void found.push(`${wide} px, ${theme}: it is gone`)
    const search = { within: part, isOtherTheme: theme === 'dark' }
    const wrong = [...(await findViolations(page, search)), ...(await findLastingOverflow(page))]
    found.push(...wrong.map((text) => `${wide} px, ${theme}: ${text}`))
  }
  for (const wide of width < 640 ? [width] : [width, 390]) {
    await look(wide, 'light')
    await look(wide, 'dark')
  }
  await dress(page, width, 'light')
  await close(page)
  await page
    .locator(part)
    .first()
    .waitFor({ state: 'hidden' })
    .catch(() => found.push('it stays'))
  // the focus comes back with the next frame
  const isBack = page.waitForFunction(() => document.activeElement !== document.body, undefined)
  const isLost = await isBack.then(
    () => false,
    () => true,
  )
  return isLost ? [...found, 'the focus is lost after it'] : found
}

/** Opens everything that a page can open, looks at each in both themes and two widths, and closes it. @returns the faults */
export async function lookAtOverlays(
  { page, faults }: View,
  { address, width = 1440, overlays }: OverlayPage,
): Promise<readonly string[]> {
  const before = faults.length
  await page.goto(address)
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('[data-shown]') === null,
  )
  const found: string[] = []
  for (const [index, overlay] of overlays.entries()) {
    const wrong = await lookAt(page, overlay, width).catch(async (error: unknown) => [String(error)])
    found.push(...wrong.map((text) => `${overlay.source} (${index}): ${text}`))
  }
  return [...found, ...faults.slice(before)]
}
