// The API page. Data becomes text nodes, never markup.

import { call, isSignedIn, onChange, startSession } from './api-page-session.js'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const MAX_SHOWN = 200_000

let description = {}

const byId = (id) => document.getElementById(id)

/**
 * Creates an element. Attributes that are false or undefined are skipped; functions are listeners.
 */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value !== false && value !== undefined) element.setAttribute(name, value)
  }
  element.append(...children.flat(3).filter((child) => child !== undefined))
  return element
}

// Schemas as text

function resolve(schema) {
  if (typeof schema !== 'object' || schema === null) return {}
  const { $ref, ...others } = schema
  if (!$ref) return schema
  const keys = $ref.replace(/^#\//, '').split('/')
  return { ...resolve(keys.reduce((at, key) => at?.[key], description)), ...others }
}

const isNull = ({ type }) => type === 'null'

/** One type of a schema that has several. */
function typed({ enum: values, ...schema }, type) {
  if (type === 'null') return { type }
  const some = values?.filter((value) => value !== null)
  return some ? { ...schema, type, enum: some } : { ...schema, type }
}

/** The alternatives of a schema: nested unions are flattened, null comes once and last. */
function variants(given) {
  const schema = resolve(given)
  if (isNull(schema)) return [{ type: 'null' }]
  const types = Array.isArray(schema.type) ? schema.type : []
  const all = (schema.anyOf ?? types.map((type) => typed(schema, type))).flatMap(variants)
  if (all.length === 0) return [schema]
  const some = all.filter((one) => !isNull(one))
  return some.length < all.length ? [...some, { type: 'null' }] : some
}

/** A type written as in TypeScript: texts and spans for a <pre>. */
const typeOf = (schema, indent = '') =>
  variants(schema).flatMap((one, i) => [i > 0 ? ' | ' : '', ...oneType(one, indent)])

function oneType(schema, indent) {
  const { type, items, properties } = schema
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values) return [values.map((value) => JSON.stringify(value)).join(' | ')]
  if (type === 'object' || properties) return objectType(schema, indent)
  if (type !== 'array') return [type ?? 'any']
  const item = typeOf(items, indent)
  return variants(items).length > 1 ? ['(', ...item, ')[]'] : [...item, '[]']
}

function objectType(schema, indent) {
  const inner = `${indent}  `
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const note = noteOf(resolve(property))
    const comment = note ? [h('span', { class: 'note' }, `   // ${note}`)] : []
    return [`\n${inner}${name}${mark}: `, ...typeOf(property, inner), ...comment]
  })
  const free = freeKeys(schema)
  if (free && lines.length === 0) return ['{ [key]: ', ...typeOf(free, indent), ' }']
  if (free) lines.push(`\n${inner}[key]: `, ...typeOf(free, inner))
  return lines.length > 0 ? ['{', ...lines, `\n${indent}}`] : ['{}']
}

/** The schema of keys that are not listed, if there is one. */
function freeKeys({ additionalProperties, patternProperties }) {
  const [pattern] = Object.values(patternProperties ?? {})
  return pattern ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
}

function noteOf(schema) {
  const { minimum, maximum, minLength, maxLength, maxItems, maxProperties } = schema
  const notes = [
    schema.description,
    minimum !== undefined && `at least ${minimum}`,
    maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    minLength > 0 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} entries`,
    maxProperties !== undefined && `at most ${maxProperties} keys`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`
  ]
  return notes.filter(Boolean).join('; ')
}

// Operations

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => {
      const operation = methods[method]
      const all = operation.parameters ?? []
      const isPath = ({ in: place }) => place === 'path'
      // Each key of an object in the query is a parameter of its own.
      const isFree = ({ in: place, schema }) => place === 'query' && schema.type === 'object'
      const isPlain = (one) => one.in === 'query' && !isFree(one)
      const parameters = [
        ...all.filter(isPath),
        ...all.filter(isPlain),
        ...all.filter(isFree).map(({ description: about }) => {
          return { name: 'metadata', in: 'free', description: about }
        })
      ]
      // Signing in is the only operation that needs e-mail and password instead of the token.
      if (operation.operationId === 'signIn') {
        parameters.push({ name: 'e-mail', in: 'basic', required: true })
        parameters.push({ name: 'password', in: 'basic', required: true, isSecret: true })
      }
      const [[type, body] = []] = Object.entries(operation.requestBody?.content ?? {})
      parameters.push(...bodyFields(type, body))
      return { ...operation, method, path, id: `${method}-${path}`, parameters, body: body?.schema }
    })
  )
}

/** A form has a field for each file; other bodies are one text. */
function bodyFields(type, body) {
  if (!body) return []
  if (type === 'multipart/form-data') {
    return Object.keys(body.schema.properties).map((name) => ({ name, in: 'file' }))
  }
  const isText = typeof body.example === 'string'
  const example = isText ? body.example : JSON.stringify(body.example, null, 2)
  return [{ name: isText ? 'Body' : 'JSON body', in: 'body', schema: body.schema, type, example }]
}

function showOperation(operation) {
  const { id, method, path, summary = '', deprecated } = operation
  const parts = path.split(/(\{[^}]*\})/).map((part) => (part[0] === '{' ? h('i', {}, part) : part))
  const about = deprecated ? `${summary} (deprecated)` : summary
  const head = h(
    'summary',
    {},
    h('span', { class: `method ${method}` }, method.toUpperCase()),
    h('span', { class: 'path' }, parts),
    h('span', { class: 'about' }, about)
  )
  const element = h('details', { class: 'operation', id }, head)
  // The content is created when it is first opened, so that a long list appears at once.
  element.addEventListener('toggle', () => {
    if (element.open && element.children.length === 1) element.append(showInside(operation))
  })
  return element
}

function showInside(operation) {
  const all = Object.entries(operation.responses)
  const answers = all.filter(([status]) => status < '300')
  // Errors have one form, which the introduction describes.
  const errors = all.filter(([status]) => status >= '300')
  return h(
    'div',
    {},
    operation.description ? h('p', {}, operation.description) : undefined,
    operation.body ? [h('h3', {}, 'Body'), h('pre', {}, typeOf(operation.body))] : undefined,
    h('h3', {}, 'Answers'),
    answers.map(showAnswer),
    h(
      'dl',
      {},
      errors.map(([status, { description: about }]) => [h('dt', {}, status), h('dd', {}, about)])
    ),
    h('h3', {}, 'Try it'),
    tryForm(operation)
  )
}

function showAnswer([status, { description: about, content = {} }]) {
  const [body] = Object.entries(content)
  const line = h('div', { class: 'status' }, `${status} ${about}`)
  if (!body) return [line, h('p', { class: 'note' }, 'No body')]
  const [type, { schema }] = body
  const isJson = type === 'application/json'
  return [line, h('pre', {}, isJson ? typeOf(schema) : Object.keys(content).join(' or '))]
}

/** An input with a label; `read` returns its values as a list of texts. */
function fieldOf(operationId, parameter) {
  const { name, in: place, required, schema, description: about } = parameter
  const [{ type, ...limits }] = variants(schema)
  const input = inputFor({ ...parameter, id: `${operationId}-${place}-${name}` })
  const isList = type === 'array' && place !== 'body'
  const notes = [
    place === 'query' || place === 'path' ? place : '',
    required && 'required',
    place !== 'body' && noteOf({ ...limits, description: about }),
    isList && 'separate several values with commas'
  ]
  const read = () => {
    if (place === 'file') return [...input.files]
    // Line breaks at the end of a file belong to it.
    if (place === 'body') return input.value.trim() === '' ? [] : [input.value]
    const values = isList ? input.value.split(',') : [input.value]
    return values.map((value) => value.trim()).filter((value) => value !== '')
  }
  const element = h(
    'div',
    { class: place === 'body' ? 'field wide' : 'field' },
    h('label', { for: input.id }, name),
    input,
    h('small', {}, notes.filter(Boolean).join('; '))
  )
  return { name, place, read, element, type: parameter.type }
}

function inputFor({ id, in: place, required, isSecret, schema, example }) {
  if (place === 'file') return h('input', { id, type: 'file' })
  if (place === 'body') {
    const rows = example.split('\n').length + 1
    return h('textarea', { id, spellcheck: 'false', rows }, example)
  }
  const all = variants(schema)
  const values = all.map((one) => one.enum ?? one.const)
  // Only if no other value is allowed: `me | integer` needs a text field.
  const isClosed = values.every((value) => value !== undefined)
  const choices = all[0].type === 'boolean' ? [true, false] : isClosed ? values.flat() : []
  if (choices.length > 0) {
    const options = ['', ...choices].map((choice) => h('option', {}, `${choice}`))
    return h('select', { id, required }, options)
  }
  return h('input', { id, required, type: isSecret && 'password', autocomplete: 'off' })
}

function tryForm(operation) {
  const fields = operation.parameters.map((parameter) => fieldOf(operation.id, parameter))
  const curl = h('pre', {})
  const answer = h('div', { role: 'status' })
  const button = h('button', { type: 'submit' }, 'Send')
  const showCurl = () => curl.replaceChildren(curlOf(requestOf(operation, fields)))
  const onsubmit = async (event) => {
    event.preventDefault()
    button.disabled = true
    answer.replaceChildren(...(await send(requestOf(operation, fields))))
    button.disabled = false
  }
  onChange(showCurl)
  showCurl()
  return h(
    'form',
    { onsubmit, oninput: showCurl, method: 'post' },
    fields.map(({ element }) => element),
    button,
    answer,
    h('h3', {}, 'The same with curl'),
    curl
  )
}

// Requests

function requestOf({ method, path }, fields) {
  const at = (place) => fields.filter((field) => field.place === place)
  const given = at('query').flatMap(({ name, read }) => read().map((value) => [name, value]))
  const more = new URLSearchParams(
    at('free')
      .flatMap(({ read }) => read())
      .join('&')
  )
  const query = new URLSearchParams([...given, ...more])
  const filled = path.replace(/\{([^}]*)\}/g, (_, name) => {
    const field = at('path').find((one) => one.name === name)
    return encodeURIComponent(field?.read().join(',') ?? '')
  })
  const url = `${location.origin}${filled}${query.size > 0 ? `?${query}` : ''}`
  const basic = at('basic').map(({ read }) => read().join(''))
  const [text] = at('body').map(({ read, type }) => ({ body: read()[0], type }))
  const files = at('file').flatMap(({ name, read }) => read().map((file) => [name, file]))
  return {
    method: method.toUpperCase(),
    url,
    ...(text?.body !== undefined && text),
    ...(files.length > 0 && { body: formOf(files) }),
    ...(basic.length > 0 && { basic })
  }
}

function formOf(files) {
  const form = new FormData()
  for (const [name, file] of files) form.append(name, file)
  return form
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`

function curlOf({ method, url, body, type, basic }) {
  const key = basic ? '-u "$EMAIL:$PASSWORD"' : isSignedIn() && '-H "X-API-Key: $TOKEN"'
  const data =
    body instanceof FormData
      ? [...body].map(([name, { name: file }]) => `-F ${quote(`${name}=@${file}`)}`).join(' ')
      : body && `-H 'Content-Type: ${type}' --data-binary ${quote(body)}`
  return [`curl -X ${method} ${quote(url)}`, key, data].filter(Boolean).join(' \\\n  ')
}

async function send(request) {
  const start = performance.now()
  try {
    const response = await call(request)
    const text = await response.text()
    const ms = Math.round(performance.now() - start)
    const shown = pretty(text)
    const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}\n... cut here` : shown
    const line = `${response.status} ${response.statusText} in ${ms} ms, ${text.length} characters`
    const color = response.ok ? 'get' : 'delete'
    return [h('p', { class: `status ${color}` }, line), h('pre', {}, cut || '(no body)')]
  } catch (error) {
    return [h('p', { class: 'fault' }, `No answer: ${error.message}`)]
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

// The introduction

/** The description in simple Markdown: headings, code and paragraphs. */
function showIntroduction({ info }) {
  const here = info.description.replaceAll('$URL', location.origin)
  const blocks = here.replaceAll('$HOST', location.hostname).split('\n\n')
  const parts = blocks.map((block) => {
    if (block.startsWith('## ')) return h('h3', {}, block.slice(3))
    if (block.startsWith('```')) return h('pre', {}, block.replaceAll(/^```\n?|\n```$/g, ''))
    const words = block.split('`').map((text, i) => (i % 2 === 1 ? h('code', {}, text) : text))
    return h('p', {}, words)
  })
  const heading = h('h2', { id: 'chapter-Introduction' }, 'Introduction')
  const file = h('a', { href: '/docs/openapi.json' }, '/docs/openapi.json')
  const more = h('p', {}, 'Client generators read this description from ', file, '.')
  return h('section', { class: 'introduction' }, heading, parts, more)
}

// The page

function showChapters(operations) {
  const chapters = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'Other')
  const sections = [...chapters].map(([tag, members]) => {
    const heading = h('h2', { id: `chapter-${tag}` }, tag)
    return h('section', { 'aria-labelledby': heading.id }, heading, members.map(showOperation))
  })
  const names = ['Introduction', ...chapters.keys()]
  const links = names.map((tag) => h('a', { href: `#chapter-${tag}` }, tag))
  document.querySelector('nav').replaceChildren(...links)
  document.querySelector('main').replaceChildren(showIntroduction(description), ...sections)
}

function search() {
  const wanted = byId('search').value.toLowerCase().trim()
  const words = wanted.split(/\s+/)
  const operations = [...document.querySelectorAll('.operation')]
  for (const operation of operations) {
    const { textContent } = operation.firstChild
    const text = `${operation.parentElement.firstChild.textContent} ${textContent}`.toLowerCase()
    operation.hidden = !words.every((word) => text.includes(word))
  }
  for (const section of document.querySelectorAll('section')) {
    const isIntroduction = section.matches('.introduction')
    const isFound = section.querySelector('.operation:not([hidden])')
    section.hidden = isIntroduction ? wanted !== '' : !isFound
  }
  const found = operations.filter(({ hidden }) => !hidden).length
  byId('count').textContent = `${found} of ${operations.length}`
}

/** `#get-/api/v2/user/me` opens that operation. */
function openLinked() {
  const linked = byId(decodeURIComponent(location.hash.slice(1)))
  if (linked?.matches('.operation')) linked.open = true
  linked?.scrollIntoView()
}

function onKey(event) {
  if (event.key === 'Escape') byId('account').open = false
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return
  event.preventDefault()
  byId('search').focus()
}

async function start() {
  startSession()
  byId('search').addEventListener('input', search)
  addEventListener('hashchange', openLinked)
  addEventListener('keydown', onKey)
  try {
    description = await (await fetch('/docs/openapi.json')).json()
    showChapters(operationsOf(description))
    search()
    openLinked()
  } catch (error) {
    const text = `The description of the API cannot be read: ${error.message}`
    document.querySelector('main').replaceChildren(h('p', { class: 'fault' }, text))
  }
}

await start()
