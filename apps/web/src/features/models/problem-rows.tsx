import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import * as listDetailStyles from '../../components/ui/list-detail.module.css'
import * as statusStyles from '../../components/ui/status.module.css'
import { Status } from '../../components/ui/status.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { createMatcher } from '../../lib/match-words.ts'
import type { ModelProblem } from '../../lib/server-state.ts'

/** Mistakes in model files, each with its line and reason. A row leads to the editor at that line. */
export function ProblemRows({ problems }: { readonly problems: readonly ModelProblem[] }) {
  const { t } = useTranslation('models')
  if (problems.length === 0) return null
  return (
    <section aria-label={t('mistake.title')}>
      <ul className={listDetailStyles.entries}>
        {problems.map((problem) => (
          <li key={`${problem.file} ${problem.line} ${problem.key} ${problem.reason}`}>
            <ProblemRow problem={problem} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ProblemRow({ problem: { file, line, key, reason, model } }: { readonly problem: ModelProblem }) {
  const { t } = useTranslation('models')
  const { model_editor: hasEditor } = useCapabilities()
  const content = (
    <>
      <span className={statusStyles.tile} aria-hidden="true">
        <Icon name="warn" small />
      </span>
      <span className="grow">
        <span className={listDetailStyles.name}>{line === undefined ? file : t('mistake.place', { file, line })}</span>
        <span className="meta">
          {key !== undefined && <code>{key}</code>} {reason}
        </span>
      </span>
      <span className={listDetailStyles.figures}>
        <Status tone="bad">{t('mistake.state')}</Status>
      </span>
    </>
  )
  if (model === undefined || !hasEditor) return <div>{content}</div>
  return (
    <Link to="/app/models/$name" params={{ name: model }} search={{ view: 'yaml', line: line ?? 1 }}>
      {content}
    </Link>
  )
}

/** The mistakes whose file, key or reason has every word of a search. */
export function filterProblems(problems: readonly ModelProblem[], q = ''): readonly ModelProblem[] {
  const matches = createMatcher(q)
  return problems.filter(({ file, key = '', reason }) => matches([file, key, reason].join('\n')))
}
