import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Checkbox, SearchField } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { chooseFields, findProblem, isSearch } from './choose-fields.ts'
import type { ConfigField, FieldCatalogue } from './field-catalogue.ts'
import { FormField } from './form-field.tsx'
import { useTranslatedCatalogue } from './key-texts.ts'
import * as styles from './model-editor.module.css'
import { hasValue, type ModelDocument, splitPath } from './model-text.ts'
import type { Problem } from './problem.ts'

/** The keys of a model file as fields, by section. */
export function FormView({
  model,
  catalogue,
  problems,
  section,
  savedName,
  onSection,
  onChange,
}: {
  readonly model: ModelDocument
  readonly catalogue: FieldCatalogue
  readonly problems: readonly Problem[]
  readonly section: string | undefined
  /** The name of the model on the server; undefined for a new one. */
  readonly savedName: string | undefined
  readonly onSection: (section: string) => void
  readonly onChange: (field: ConfigField, value: unknown) => void
}) {
  const { t } = useTranslation('model-editor')
  const [term, setTerm] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const translate = useTranslatedCatalogue()
  const { sections, fields } = useMemo(() => translate(catalogue), [translate, catalogue])
  const current = sections.find(({ id }) => id === section) ?? sections[0]
  const isSet = (field: ConfigField) => hasValue(model, splitPath(field.path))
  const isSearching = isSearch(term)
  const shown = chooseFields(fields, { term, section: current?.id, showsAll, isSet })
  if (model.document.errors.length > 0) return <Notice tone="warn">{t('formNeedsYaml')}</Notice>
  return (
    <div className={styles.formView}>
      <div className={styles.formSide}>
        <SearchField label={t('searchKeys')} value={term} onChange={setTerm} />
        <nav aria-label={t('sections')}>
          <ul>
            {sections.map(({ id, label }) => {
              const count = fields.filter((field) => field.section === id && isSet(field)).length
              return (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={!isSearching && id === current?.id ? 'true' : undefined}
                    onClick={() => {
                      setTerm('')
                      onSection(id)
                    }}
                  >
                    <span className="grow">{label}</span>
                    {count > 0 && (
                      <span className="meta">
                        {count}
                        <span className="visuallyHidden"> {t('keysSet')}</span>
                      </span>
                    )}
                  </button>
                </li>
              )
            })}
          </ul>
        </nav>
      </div>
      <div className={styles.formFields}>
        <div className="row">
          <h2>{isSearching ? t('found', { count: shown.length }) : current?.label}</h2>
          {!isSearching && (
            <span className="push">
              <Checkbox
                label={t('allKeys')}
                checked={showsAll}
                onChange={({ target }) => setShowsAll(target.checked)}
              />
            </span>
          )}
        </div>
        {shown.map((field) => (
          <FormField
            key={field.path}
            field={field}
            model={model}
            problem={findProblem(problems, field.path)}
            savedName={savedName}
            onChange={(value) => onChange(field, value)}
          />
        ))}
        {shown.length === 0 && <p className="muted">{t('common:noMatch.title')}</p>}
      </div>
    </div>
  )
}
