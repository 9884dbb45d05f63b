import { expect, it } from 'vitest'
import { describeInBrowser, openView, register, startServerWithAccounts } from './harness.ts'

describeInBrowser('limits and keys of services', () => {
  it('are made, changed and removed by an admin', async () => {
    await using server = await startServerWithAccounts()
    const { url } = await server.logged('listening')
    // the refusal of a currency
    await using view = await openView(String(url), { expected: /status of 400/ })
    const { page } = view
    await register(view, 'root@site.example')
    const dialog = page.getByRole('dialog')

    await page.goto(`${url}/app/users/keys`.replaceAll('//app', '/app'))
    await page.getByRole('button', { name: 'New API key' }).first().click()
    await dialog.getByLabel('Name', { exact: true }).fill('nightly')
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('row', { name: /nightly.*Service.*active/ }).waitFor()
    await page.getByRole('button', { name: 'Edit nightly' }).click()
    await dialog.getByLabel('Limit to some addresses').check()
    await dialog.getByLabel('Addresses', { exact: true }).fill('10.0.0.0/8')
    await dialog.getByLabel('Let the key in no more').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /nightly.*10\.0\.0\.0\/8.*blocked/ }).waitFor()

    await page.getByRole('navigation', { name: 'Users' }).getByRole('link', { name: 'Limits' }).click()
    await page.getByRole('button', { name: 'Add limit' }).first().click()
    await dialog.getByLabel('Each account').check()
    await dialog.getByLabel('Money', { exact: true }).fill('12.50')
    await dialog.getByLabel('Currency').fill('U')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('currency must be a code').waitFor()
    expect(await dialog.getByLabel('Currency').getAttribute('aria-invalid')).toBe('true')
    await dialog.getByLabel('Currency').fill('USD')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Each account.*at most \$12\.50/ }).waitFor()
    await page.getByRole('button', { name: 'Remove the limit of Each account' }).click()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No limits yet').waitFor()
  })
})
