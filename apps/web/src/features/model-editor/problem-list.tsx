import { useTranslation } from 'react-i18next'
import { Status } from '../../components/ui/status.tsx'
import * as styles from './model-editor.module.css'
import type { Problem } from './problem.ts'

/** The faults of a file; each leads to its place. */
export function ProblemList({
  problems,
  onReveal,
}: {
  readonly problems: readonly Problem[]
  readonly onReveal: (problem: Problem) => void
}) {
  const { t } = useTranslation('model-editor')
  return (
    <section className={styles.problems} aria-label={t('problems')}>
      <p className="visuallyHidden" role="status">
        {t('problemCount', { count: problems.length })}
      </p>
      {problems.length === 0 ? (
        <Status tone="ok">{t('noProblems')}</Status>
      ) : (
        <ul>
          {problems.map((problem) => (
            <li key={`${problem.from}-${problem.code}-${problem.path}`}>
              <button type="button" onClick={() => onReveal(problem)}>
                <Status tone={problem.severity === 'error' ? 'bad' : 'warn'}>
                  {t('line', { line: problem.line })}
                </Status>
                {problem.path && <code>{problem.path}</code>}
                <span>{t(`problem.${problem.code}`, { ...problem.values })}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
