import { badRequest } from '../../http/errors.ts'
import { isTooDeep } from '../../lib/edge-config.ts'
import {
  newBudget,
  parseTemplate,
  renderTemplate,
  TemplateError,
  valueFrom
} from '../../lib/template/template.ts'
import type { InstallationRecord } from '../../registry/installations.ts'
import type { OrganizationRecord } from '../../registry/organizations.ts'
import type { MessageRow, OutputRecord } from './messages.ts'

type Config = Readonly<Record<string, string>>
type Payload = Readonly<Record<string, unknown>>

/** The characters of all values of a configuration together. */
const MAX_CONFIG_LENGTH = 65_536

/** Throws 400 with the name of the field if the template is wrong. */
export function checkTemplate(field: string, text: string, budget = newBudget()): void {
  inField(field, () => parseTemplate(text, budget))
}

/** Throws 400 with the name of the field if it cannot be the payload of a template. */
export function checkedPayload(field: string, given: unknown): Payload {
  const payload = given ?? {}
  if (typeof payload !== 'object' || Array.isArray(payload)) {
    throw badRequest(`${field} must be a JSON object`)
  }
  if (isTooDeep(payload)) throw badRequest(`${field} is nested too deep`)
  return payload as Payload
}

export function checkTemplates(config: Config): void {
  checkSize(config)
  const budget = newBudget()
  for (const [key, text] of Object.entries(config)) checkTemplate(`config.${key}`, text, budget)
}

export function checkSize(config: Config): void {
  const size = Object.values(config).reduce((sum, { length }) => sum + length, 0)
  if (size > MAX_CONFIG_LENGTH)
    throw badRequest(`config must have at most ${MAX_CONFIG_LENGTH} characters`)
}

function inField<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw badRequest(`${field}: ${error.message}`)
  }
}

export type Subject = { installation: InstallationRecord; organization: OrganizationRecord }
type Given = { payload: Payload; zone: string }

/** Renders the message and the configuration, which share one budget. [ADR-0021] */
export function rendered(
  { message, output }: { message: MessageRow; output: OutputRecord },
  subject: Subject,
  given: Given
): { message: string; output_config: Config } {
  const render = renderer(subject, given)
  return {
    message: render('text', message.text),
    output_config: Object.fromEntries(
      Object.entries(output.config).map(([key, text]) => [key, render(`config.${key}`, text)])
    )
  }
}

export const renderedText = (text: string, subject: Subject, given: Given): string =>
  renderer(subject, given)('text', text)

/** All that it renders shares one budget. */
function renderer(subject: Subject, { payload, zone }: Given) {
  const data = valueFrom({ ...templateData(subject), payload })
  const budget = newBudget()
  return (field: string, text: string): string =>
    inField(field, () => renderTemplate(parseTemplate(text, budget), data, { zone, budget }))
}

/** Existing templates use these names. Metadata is not included. */
const templateData = ({ installation, organization }: Subject) => ({
  installation: {
    ID: BigInt(installation.id),
    Name: installation.name,
    ClientID: BigInt(installation.client_id)
  },
  organization: {
    ID: BigInt(organization.id),
    Name: organization.name,
    Address: {
      Address: organization.address.address,
      City: organization.address.city,
      Country: organization.address.country,
      ZIP: organization.address.zip
    },
    Email: organization.email,
    Phone: organization.phone,
    Notes: organization.notes
  }
})
