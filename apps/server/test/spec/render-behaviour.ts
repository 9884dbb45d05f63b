import type { Requirement } from './requirement.ts'

function compareSections(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** Renders `docs/behaviour.md`: the manifest as a page, by section; a `§` in the sources points here. */
export function renderBehaviour(rows: readonly Requirement[]): string {
  const sections = [...new Set(rows.map((row) => row.section))].sort(compareSections)
  const built = rows.filter((row) => row.state === 'built').length
  const lines = [
    '# Behaviour',
    '',
    'Generated from `apps/server/test/spec/requirements.ts` by `pnpm gen`. A `§` in the sources points to a section here.',
    '',
    `${rows.length} lines, ${built === rows.length ? 'all' : built} built. A line that is built is cited by a test under its id.`,
  ]
  for (const section of sections) {
    lines.push('', `## §${section}`, '', '| Id | Behaviour | State |', '|---|---|---|')
    for (const row of rows.filter((candidate) => candidate.section === section)) {
      lines.push(
        `| \`${row.id}\` | ${row.behavior.replaceAll('|', '\\|')} | ${row.state === 'built' ? 'built' : 'gap'} |`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}
