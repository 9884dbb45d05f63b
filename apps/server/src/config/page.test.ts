import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMAND_LIST, formatCommand } from './command-list.ts'
import { helpText } from './help.ts'
import { loadConfig } from './load.ts'
import { renderConfigurationPage } from './page.ts'
import { OPTIONS } from './schema.ts'

const COMMITTED = new URL('../../../../docs/configuration.md', import.meta.url)

describe('the documentation page', () => {
  it('is the one in the repository (pnpm gen writes it)', () => {
    expect(renderConfigurationPage()).toBe(readFileSync(COMMITTED, 'utf8'))
  })
  it('names every flag and variable of the table', () => {
    const page = renderConfigurationPage()
    for (const { flag, env = [] } of OPTIONS) {
      if (flag !== undefined) expect(page).toMatch(new RegExp(`\`(-., )?--${flag}[ ,\`]`))
      for (const name of env) expect(page).toContain(`\`${name}\``)
    }
  })
  it('lists every command, and so does the help text', () => {
    const page = renderConfigurationPage()
    const help = helpText({ all: false })
    expect(COMMAND_LIST.length).toBeGreaterThan(40)
    for (const entry of COMMAND_LIST) {
      expect(page).toContain(`| \`svc ${formatCommand(entry)}\` | ${entry.about}`)
      expect(help).toMatch(new RegExp(`^  ${entry.words}( |$)`, 'm'))
    }
  })
  it.each(COMMAND_LIST.map((entry) => [formatCommand(entry)]))('svc %s, as listed, is a command', (line) => {
    const argv = line.replaceAll(/[[\].]/g, '').split(' ')
    const command = loadConfig({ argv, env: {}, cwd: '/w' })
    expect(command.kind === 'usage-error' ? command.message : '').toBe('')
  })
  it('has four columns in every row', () => {
    const rows = renderConfigurationPage()
      .split('\n')
      .filter((line) => line.startsWith('| `--') || line.startsWith('|  |'))
    expect(rows.length).toBeGreaterThan(150)
    for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(6)
  })
})

describe('the help text', () => {
  const help = helpText({ all: false })
  it('lists every flag that acts with variable and default, and no other', () => {
    for (const option of OPTIONS) {
      if (option.flag === undefined) continue
      const line = help.split('\n').find((each) => new RegExp(`^  (-., )?--${option.flag}([ ,]|$)`).test(each))
      if (option.refusal !== undefined) expect(line).toBeUndefined()
      else for (const name of option.env ?? []) expect(line).toContain(name)
    }
    expect(help).toContain('(default: :8080)')
    expect(help).toContain('-t, --threads N  [SVC_THREADS]')
    expect(help).toContain('[SVC_DEMO_MODEL]')
  })
  it('lists the flags that are refused at its end, with the reason, when all are asked for', () => {
    const all = helpText({ all: true })
    const own = help.slice(0, help.indexOf('Flags that are refused'))
    expect(all.startsWith(own)).toBe(true)
    const refused = all.slice(own.length)
    for (const option of OPTIONS) {
      if (option.flag === undefined) continue
      expect(new RegExp(`^  (-., )?--${option.flag}( |$|,)`, 'm').test(refused), option.flag).toBe(
        option.refusal !== undefined,
      )
    }
  })
  it('keeps to a hundred columns where words allow it', () => {
    for (const line of help.split('\n')) if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(110)
  })
})
