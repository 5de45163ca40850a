import type { Expression, ExpressionPredicate, ExpressionVariable } from '../manifest/types';
import { own } from './record';
import type { SdkAttributes, StoredResponse, StoredResponses } from './responses';

/** What expressions may look at. */
export interface ExpressionContext {
  locale: string;
  platform: string;
  sdkAttributes: SdkAttributes;
  responses: StoredResponses;
}

type RawValue = string | number | boolean | readonly string[] | undefined;

/** Value of a stored response as an expression sees it; undefined where it counts as missing. */
export function comparableValue(response: StoredResponse | undefined): RawValue {
  switch (response?.kind) {
    case 'choice':
      return response.choiceId;
    case 'multiChoice':
      return response.choiceIds;
    case 'text':
    case 'wheel':
    case 'date_time':
    case 'phone':
    case 'scale':
    case 'number_stepper':
    case 'checkbox':
      return response.value;
    case 'permission_outcome':
      return response.outcome;
    default:
      return undefined;
  }
}

function rawValue(variable: ExpressionVariable, context: ExpressionContext): RawValue {
  switch (variable.kind) {
    case 'builtin':
      return variable.name === 'locale' ? context.locale : context.platform;
    case 'sdk':
      return own(context.sdkAttributes, variable.key);
    case 'field':
      return comparableValue(own(context.responses, variable.fieldKey));
  }
}

function asString(value: RawValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

function asBoolean(value: RawValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value !== 0 : undefined;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (word === 'true' || word === '1' || word === 'yes') return true;
  if (word === 'false' || word === '0' || word === 'no') return false;
  return undefined;
}

function matches(predicate: ExpressionPredicate, value: RawValue): boolean {
  switch (predicate.type) {
    case 'string': {
      const left = asString(value);
      if (left === undefined) return false;
      const { op, value: right } = predicate.pred;
      if (op === 'eq') return left === right;
      return op === 'neq' ? left !== right : left.includes(right);
    }
    case 'number': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return false;
      const { op, value: right } = predicate.pred;
      switch (op) {
        case 'eq':
          return value === right;
        case 'neq':
          return value !== right;
        case 'lt':
          return value < right;
        case 'lte':
          return value <= right;
        case 'gt':
          return value > right;
        case 'gte':
          return value >= right;
      }
      return false;
    }
    case 'boolean': {
      const left = asBoolean(value);
      if (left === undefined) return false;
      return predicate.pred.op === 'eq' ? left === predicate.pred.value : left !== predicate.pred.value;
    }
    case 'choice': {
      if (typeof value !== 'string' || value === '') return false;
      return predicate.pred.op === 'eq' ? value === predicate.pred.optionId : predicate.pred.optionIds.includes(value);
    }
    case 'multi': {
      if (!Array.isArray(value)) return false;
      const selected = value.filter((member) => typeof member === 'string' && member !== '');
      const { op, optionIds } = predicate.pred;
      if (op === 'intersects') return optionIds.some((id) => selected.includes(id));
      if (op === 'contains_all') return optionIds.every((id) => selected.includes(id));
      return selected.every((id) => optionIds.includes(id));
    }
  }
}

/** Evaluates an expression (runtime.md §3). A missing or unfit value makes every predicate false, `neq` too. */
export function evaluateExpression(expression: Expression, context: ExpressionContext): boolean {
  switch (expression.kind) {
    case 'empty':
      return false;
    case 'group':
      return expression.op === 'and'
        ? expression.children.every((child) => evaluateExpression(child, context))
        : expression.children.some((child) => evaluateExpression(child, context));
    case 'predicate':
      return matches(expression.predicate, rawValue(expression.variable, context));
    default:
      return false;
  }
}
