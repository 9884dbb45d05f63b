import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../components/ui/field.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import * as styles from './agents.module.css'
import { offeredSkillsQuery } from './api.ts'
import { ChoiceList } from './choice-list.tsx'
import type { ConfigForm } from './config-form.ts'

/** The skills that an agent may read. */
export function SkillFields({
  form: { skills, hasAllSkills },
  onChange,
}: {
  readonly form: Pick<ConfigForm, 'skills' | 'hasAllSkills'>
  readonly onChange: (changes: Partial<ConfigForm>) => void
}) {
  const { t } = useTranslation('agents')
  const known = useQuery(offeredSkillsQuery)
  return (
    <fieldset className={styles.part}>
      <legend>{t('tab.skills')}</legend>
      <QueryView query={known} lines={2}>
        {({ names, isOffered }) => (
          <>
            {!isOffered && <p className={`muted ${styles.wide}`}>{t('skillsOff')}</p>}
            <div className={styles.wide}>
              <Checkbox
                label={t('allSkills')}
                checked={hasAllSkills}
                onChange={({ target }) => onChange({ hasAllSkills: target.checked })}
              />
            </div>
            {!hasAllSkills && (
              <ChoiceList
                choices={names.map((name) => ({ id: name, name }))}
                chosen={skills}
                none={t('noSkills')}
                onChange={(chosen) => onChange({ skills: chosen })}
              />
            )}
          </>
        )}
      </QueryView>
    </fieldset>
  )
}
