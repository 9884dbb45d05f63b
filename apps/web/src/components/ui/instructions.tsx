import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { translateInstruction } from '../../lib/instruction-texts.ts'
import { instructionQuery, instructionsQuery } from '../../lib/instructions.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { SelectField } from './field.tsx'
import * as styles from './instructions.module.css'
import { QueryView, Skeleton } from './states.tsx'

const Markdown = lazyPart(async () => (await import('../markdown/markdown.tsx')).Markdown)

/** The instructions of the server, one page at a time. @param topic the open page; the first one by default */
export function Instructions({
  topic,
  onTopic,
}: {
  readonly topic: string | undefined
  readonly onTopic: (topic: string) => void
}) {
  const { t } = useTranslation('instructions')
  const pages = useQuery(instructionsQuery)
  return (
    <QueryView query={pages} lines={6}>
      {(list) => {
        const opened = list.find(({ name }) => name === topic) ?? list[0]
        return (
          <div className={styles.instructions}>
            <div className={styles.pick}>
              <SelectField
                label={t('common:instructions.label')}
                options={list.map(({ name }) => [name, t(`${name}.name`, { defaultValue: name })])}
                value={opened?.name}
                onChange={({ target }) => onTopic(target.value)}
              />
            </div>
            <ul className={styles.list} aria-label={t('common:instructions.label')}>
              {list.map(({ name, description }) => (
                <li key={name}>
                  <button type="button" aria-current={name === opened?.name || undefined} onClick={() => onTopic(name)}>
                    <b className="medium">{t(`${name}.name`, { defaultValue: name })}</b>
                    <span className="meta">{t(`${name}.description`, { defaultValue: description })}</span>
                  </button>
                </li>
              ))}
            </ul>
            {opened && <InstructionText name={opened.name} />}
          </div>
        )
      }}
    </QueryView>
  )
}

function InstructionText({ name }: { readonly name: string }) {
  const { t, i18n } = useTranslation('instructions')
  const page = useQuery(instructionQuery(name))
  const translate = (index: number) => {
    const text = t(`${name}.text.${index}`, { defaultValue: '' })
    return text === '' ? undefined : text
  }
  return (
    <div className={styles.text}>
      <QueryView query={page} lines={8}>
        {(text) => (
          <Suspense fallback={<Skeleton lines={8} />}>
            <Markdown text={i18n.language === 'en' ? text : translateInstruction(text, translate)} />
          </Suspense>
        )}
      </QueryView>
    </div>
  )
}
