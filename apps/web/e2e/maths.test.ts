import { expect, it } from 'vitest'
import { describeInBrowser, openView, startBuiltServer } from './harness.ts'

/** Exported chats: one answer without formulas, one with. */
const CHATS = [
  ['Prices', 'It costs $5 here and $10 there.'],
  [
    'Roots',
    "Both roots of $ax^2 + bx + c = 0$ cost \\$5:\n\n$$\nx = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\n$$\n\nAs a matrix, \\(M = \\begin{pmatrix} a & b \\\\ b & c \\end{pmatrix}\\), and\n\\[\\int_0^\\infty e^{-x^2}\\,dx = \\tfrac{\\sqrt\\pi}{2}, \\quad \\boxed{x''} \\cancel{y}\\]\nWhat is not \\unknown{} stays: $\\unknown{x}$.",
  ],
].map(
  ([title, text]) => `<!-- svc-chat ${JSON.stringify({ title, model: 'demo', createdAt: 0 })} -->
# ${title}

<!-- svc-message {"role":"user","createdAt":0} -->
## You

Tell me

<!-- svc-message {"role":"assistant","createdAt":0,"model":"demo"} -->
## demo

${text}
`,
)

describeInBrowser('formulas in a chat', () => {
  it('are set when they are seen, with a part that loads then', async () => {
    await using server = await startBuiltServer()
    await using view = await openView(server.url)
    const { page } = view
    await page.goto('/app/chat')
    await page
      .locator('input[data-import]')
      .setInputFiles({ name: 'chats.md', mimeType: 'text/markdown', buffer: Buffer.from(CHATS.join('\n')) })
    const countLoads = () => view.requests.filter((path) => /\/formula-[^/]*\.js/.test(path)).length

    await page.getByRole('link', { name: /Prices/ }).click()
    await page.getByText('It costs $5 here and $10 there.').waitFor()
    expect(countLoads()).toBe(0)

    await page.getByRole('link', { name: /Roots/ }).click()
    const answer = page.getByRole('article', { name: 'Answer of demo' })
    await answer.locator('math').nth(3).waitFor()
    expect(await answer.locator('math').count()).toBe(4)
    expect(await answer.locator('math[display="block"]').count()).toBe(2)
    expect(await answer.textContent()).toContain('stays: $\\unknown{x}$.')
    expect(countLoads()).toBe(1)
    // a formula has a height of its own: the browser draws MathML
    const fraction = await answer.locator('math[display="block"] mfrac').first().boundingBox()
    expect(fraction?.height).toBeGreaterThan(30)
  })
})
