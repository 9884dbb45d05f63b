import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatClock, formatNumber } from '../../lib/format.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import * as styles from './job-steps.module.css'

const Markdown = lazyPart(async () => (await import('../markdown/markdown.tsx')).Markdown)

/** A step of a job. */
export interface JobStep {
  readonly type: 'reasoning' | 'tool_call' | 'tool_result' | 'status'
  readonly content: string
  /** RFC 3339. */
  readonly timestamp: string
  readonly tool_name?: string | undefined
  /** JSON text. */
  readonly arguments?: string | undefined
}

const ICONS: Readonly<Record<JobStep['type'], IconName>> = {
  reasoning: 'thinking',
  tool_call: 'tool',
  tool_result: 'check',
  status: 'info',
}

/** Steps that are drawn; older ones of a longer job are left out with a line that says so. */
const SHOWN_STEPS = 300

/** The steps of a job in their order: what the model said and thought, calls of tools and their results. */
export function JobSteps({ label, steps }: { readonly label: string; readonly steps: readonly JobStep[] }) {
  const { t } = useTranslation('agents')
  const left = Math.max(0, steps.length - SHOWN_STEPS)
  return (
    <>
      {left > 0 && <p className="meta">{t('job.olderSteps', { count: left, shown: formatNumber(left) })}</p>}
      <ol className={styles.steps} aria-label={label}>
        {steps.slice(left).map((step, index) => (
          <Step key={left + index} step={step} />
        ))}
      </ol>
    </>
  )
}

function Step({ step }: { readonly step: JobStep }) {
  const { t } = useTranslation('agents')
  const { type, content, timestamp, tool_name: tool = '' } = step
  return (
    <li className={styles.step}>
      <Icon name={ICONS[type]} small />
      <div className={styles.content}>
        <p className={`row ${styles.head}`}>
          <span className="medium">{t(`job.step.${type}`)}</span>
          {tool !== '' && <code className="clip">{tool}</code>}
          <time className="meta push" dateTime={timestamp}>
            {formatClock(timestamp)}
          </time>
        </p>
        <StepContent type={type} content={content} args={step.arguments} />
      </div>
    </li>
  )
}

function StepContent({
  type,
  content,
  args,
}: {
  readonly type: JobStep['type']
  readonly content: string
  readonly args: string | undefined
}) {
  const { t } = useTranslation('agents')
  if (type === 'tool_call') return <CodeBlock title={t('job.arguments')} text={formatJson(args ?? content)} />
  if (type === 'tool_result') return <CodeBlock title={t('job.output')} text={formatJson(content)} />
  if (type === 'status') return <p className="muted">{content}</p>
  return <AgentText text={content} />
}

/** A text of a model, as markdown. */
export function AgentText({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className={styles.plain}>{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  )
}

/** Longest JSON that is laid out anew. */
const MAX_JSON = 50_000

/** Lays JSON out in lines; gives any other text back as it is. */
function formatJson(text: string): string {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
