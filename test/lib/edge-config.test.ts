import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appJsonFault, configFault } from '../../src/lib/edge-config.ts'

test('appJsonFault', () => {
  assert.equal(appJsonFault('{}'), undefined)
  assert.equal(appJsonFault('{"input":{},"guide":[]}'), undefined)
  assert.equal(appJsonFault('[]'), 'app_json must be a JSON object')
  assert.equal(appJsonFault('null'), 'app_json must be a JSON object')
  for (const input of ['[]', 'null', '"level"', '5', 'true']) {
    assert.equal(appJsonFault(`{"input":${input}}`), 'app_json.input must be an object')
  }
  assert.match(appJsonFault('{"input":') ?? '', /^app_json is not valid JSON: /)
  assert.match(appJsonFault('') ?? '', /^app_json is not valid JSON: /)
})

test('configFault', () => {
  const f = (field: object, value: unknown, want: string | undefined) =>
    assert.equal(configFault(JSON.stringify({ input: { x: field } }), { x: value }), want)
  f({ type: 'number' }, undefined, undefined)
  f({ type: 'number', required: true }, undefined, 'config.x is required')
  f({ type: 'number', required: true }, null, 'config.x is required')
  f({ type: 'number', required: 'yes' }, null, undefined)
  f({ type: 'number' }, 5, undefined)
  f({ type: 'number' }, '5', 'config.x must be a number')
  f({ type: 'number', min: 0, max: 10 }, 0, undefined)
  f({ type: 'number', min: 0, max: 10 }, -1, 'config.x must be at least 0')
  f({ type: 'number', min: 0, max: 10 }, 11, 'config.x must be at most 10')
  f({ type: 'text' }, '', undefined)
  f({ type: 'text' }, 1, 'config.x must be text')
  f({ type: 'toggle' }, true, undefined)
  f({ type: 'toggle', true_value: 255, false_value: 0 }, 255, undefined)
  f({ type: 'toggle' }, 'on', 'config.x must be on or off')
  f({ type: 'single_function_selector' }, 7, undefined)
  f({ type: 'single_function_selector' }, '7', undefined)
  f({ type: 'single_function_selector' }, { 7: 'a' }, undefined)
  f({ type: 'single_function_selector' }, [7], 'config.x must be an id')
  f({ type: 'multi_device_selector' }, [1, 2], undefined)
  f({ type: 'multi_device_selector' }, { 1: 'a' }, undefined)
  f({ type: 'multi_device_selector' }, 1, 'config.x must be a list of ids')
  f({ type: 'multi_device_selector' }, ['x'], 'config.x must be a list of ids')
  f({ type: 'color_of_the_future' }, { any: 'thing' }, undefined)
  const repeat = { type: 'repeat', input_fields: { n: { type: 'number', required: true } } }
  f(repeat, [{ n: 1 }, { n: 2 }], undefined)
  f(repeat, [{ n: 1 }, {}], 'config.x.1.n is required')
  f(repeat, [1], 'config.x.0 must be an object')
  f(repeat, {}, 'config.x must be a list')
  assert.equal(configFault('{}', { any: 1 }), undefined)
  assert.equal(configFault('{"input":[]}', {}), undefined)
  assert.equal(configFault('{"input":{"x":5}}', { x: 1 }), undefined)
  assert.equal(configFault('{"input":{"x":{"type":"number"}}}', { other: 1 }), undefined)
})
