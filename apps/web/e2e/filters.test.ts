import { expect, it } from 'vitest'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'

describeInBrowser('the filters of a narrow page', () => {
  it('stand in a sheet, act at once and are counted', async () => {
    await using server = await startBuiltServer()
    await using view = await openView(server.url, { width: 390, height: 844 })
    const { page } = view
    await page.goto('/app/events')
    const button = page.getByRole('button', { name: /^Filters/ })
    await button.click()
    const sheet = page.getByRole('dialog', { name: 'Filters' })
    await sheet.getByRole('combobox', { name: 'Kind' }).selectOption({ label: 'PII filter' })
    await page.waitForURL(/kind=pii/)
    await sheet.getByRole('textbox', { name: 'Pattern' }).fill('email')
    await sheet.getByRole('button', { name: 'Show' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.waitForURL(/pattern=email/)
    await page.getByRole('button', { name: 'Filters (2)' }).waitFor()

    await button.click()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)

    // a page that becomes wide shows them in their row
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('search').getByRole('combobox', { name: 'Kind' }).waitFor()
    expect(await button.count()).toBe(0)
  })
})
