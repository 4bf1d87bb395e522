/**
 * The rubric language for tree-sitter.
 *
 * It reads the language as it should be written (`grammar/rubric.ebnf`); slips that `rubric` mends with a report are errors
 * here. Keywords are keywords only where they can stand: tree-sitter takes a word for one where the grammar expects one,
 * and for a name elsewhere, which is what the compiler does too. Only the eleven reserved words are never names.
 *
 * The tiers of expressions are spelled out instead of using precedences, so that `a == not b` is refused here as there.
 */

/* eslint-disable-next-line no-undef */
const RESERVED = ['true', 'false', 'unknown', 'and', 'or', 'not', 'if', 'then', 'else', 'when', 'unless'];

const HEX = '[0-9A-Fa-f]';

/** Elements with commas between them; a comma may stand behind the last. */
const list = rule => optional(seq(rule, repeat(seq(',', rule)), optional(',')));

/** A binary expression of one tier: left-associative, its right side one tier further down. */
const binary = (left, operator, right) =>
  seq(field('left', left), field('operator', operator), field('right', right));

module.exports = grammar({
  name: 'rubric',

  word: $ => $.name,

  reserved: {
    global: () => RESERVED,
  },

  // Blanks of every script, and the invisible signs that editors leave behind.
  extras: $ => [
    /[ \t\n\u000B\f\r\u0085\u00A0\u1680\u2000-\u200D\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF]/,
    $.comment,
    $.doc_comment,
  ],

  supertypes: $ => [$.declaration, $.statement, $.expression, $.type],

  rules: {
    source_file: $ => seq(optional($.header), repeat($.declaration)),

    header: $ => seq(field('kind', choice('rubric', 'library')), field('name', $.name)),

    declaration: $ => choice(
      $.use_declaration,
      $.scale_declaration,
      $.default_judge,
      $.field_declaration,
      $.candidate_declaration,
      $.criterion_declaration,
      $.checklist_declaration,
      $.node_declaration,
      $.define_declaration,
      $.readout_declaration,
      $.observe_declaration,
      $.require_declaration,
      $.test_declaration,
    ),

    // ---- files, scales, fields ---------------------------------------------------------------------------------------

    use_declaration: $ => seq('use', field('path', $.text), 'as', field('name', $.name)),

    scale_declaration: $ => seq('scale', field('name', $.name), '=', field('type', $.type)),

    default_judge: $ => seq('default', 'judge', field('procedure', $.procedure)),

    field_declaration: $ => seq(
      field('role', choice('input', 'reference')), field('name', $.name), ':', field('kind', $.field_kind),
    ),

    candidate_declaration: $ => seq(
      'candidate', field('name', $.name),
      choice(seq(':', field('kind', $.field_kind)), field('body', $.record)),
    ),

    record: $ => seq('{', list($.record_field), '}'),

    record_field: $ => seq(field('name', $.name), ':', field('kind', $.field_kind)),

    field_kind: $ => seq($.name, optional('?')),

    // ---- criteria ----------------------------------------------------------------------------------------------------

    criterion_declaration: $ => seq(
      'criterion', field('name', $.name), ':', field('type', $.type),
      optional(field('question', $.text)), optional(field('body', $.body)),
    ),

    body: $ => seq('{', repeat($.statement), '}'),

    statement: $ => choice(
      $.ask_statement,
      $.level_statement,
      $.example_statement,
      $.sees_statement,
      $.applies_statement,
      $.judge_statement,
      $.tag_statement,
    ),

    ask_statement: $ => seq('ask', field('question', $.text)),

    level_statement: $ => seq('level', field('value', $._level), field('meaning', $.text)),

    _level: $ => choice($.number, $.negative_number, $.name, $.text, $.boolean, $.unknown),

    negative_number: $ => seq('-', $.number),

    example_statement: $ => seq('example', field('values', $.assignments)),

    sees_statement: $ => seq('sees', $.path, repeat(seq(',', $.path))),

    applies_statement: $ => seq('applies', field('procedure', $.procedure)),

    judge_statement: $ => seq('judge', field('procedure', $.procedure)),

    tag_statement: $ => seq('tag', field('key', $.name), field('value', $.text)),

    // `human`, `llm(…)`, `llm else human when confidence < 0.8`
    procedure: $ => seq(
      $.judge,
      optional(seq('else', field('otherwise', $.judge), 'when', field('condition', $.confidence))),
    ),

    judge: $ => seq(field('name', $.name), optional(field('arguments', $.arguments))),

    confidence: $ => binary($.name, choice('==', '!=', '<', '<=', '>', '>='), $._signed),

    // ---- checklists --------------------------------------------------------------------------------------------------

    checklist_declaration: $ => seq(
      'checklist', field('name', $.name), optional(seq(':', field('type', $.type))),
      choice(
        seq('from', field('from', $.path), optional(field('body', $.body))),
        field('body', $.checklist_body),
      ),
    ),

    checklist_body: $ => seq('{', repeat($.statement), repeat(choice($.item, $.group)), '}'),

    item: $ => seq(
      field('points', $.points), optional(field('name', $.name)), field('text', $.text),
      optional(field('body', $.body)),
    ),

    points: $ => seq(choice('+', '-'), $.number),

    group: $ => seq(
      'group', field('name', $.name), optional(seq('weight', field('weight', $._signed))),
      optional(field('text', $.text)), field('body', $.checklist_body),
    ),

    // ---- composition -------------------------------------------------------------------------------------------------

    node_declaration: $ => seq(
      field('family', choice('transform', 'reduce', 'gate')), field('name', $.name),
      optional(seq(':', field('type', $.type))), '=', field('value', $.expression),
      optional(field('condition', $.condition)),
    ),

    define_declaration: $ => seq(
      'define', field('name', $.name), field('parameters', $.parameters), ':', field('type', $.type),
      '=', field('value', $.expression), optional(field('condition', $.condition)),
    ),

    parameters: $ => seq('(', list($.parameter), ')'),

    parameter: $ => seq(field('name', $.name), ':', field('type', $.type)),

    condition: $ => seq(choice('when', 'unless'), $.expression),

    readout_declaration: $ => seq(
      'readout', field('mode', alias($.name, $.mode)), optional(field('name', $.name)),
      '=', field('value', $.expression),
    ),

    observe_declaration: $ => seq('observe', $.path),

    // ---- requirements and tests --------------------------------------------------------------------------------------

    require_declaration: $ => seq(
      'require', optional(field('title', $.text)),
      choice(field('body', $.clauses), field('property', $.property)),
    ),

    property: $ => seq(field('name', $.name), '(', $.expression, ')'),

    // Clauses stand one behind the other; one without `when` needs a comma before it.
    clauses: $ => seq('{', optional($._clause_list), '}'),

    _clause_list: $ => seq(
      choice($.implication, alias($._plain, $.clause)),
      repeat(choice(seq(',', choice($.implication, alias($._plain, $.clause))), $.implication)),
      optional(','),
    ),

    _plain: $ => $.expression,

    implication: $ => seq('when', field('when', $.expression), ':', field('holds', $.expression)),

    test_declaration: $ => seq('test', field('title', $.text), field('body', $.test_body)),

    test_body: $ => seq('{', repeat(choice($.given, $.expect)), '}'),

    given: $ => seq('given', optional(field('candidate', $.name)), field('values', $.assignments)),

    expect: $ => seq('expect', $.expression),

    assignments: $ => seq('{', list($.assignment), '}'),

    assignment: $ => seq(
      field('key', $.path), optional(seq('[', field('index', $.number), ']')), ':', field('value', $.expression),
    ),

    // ---- types -------------------------------------------------------------------------------------------------------

    type: $ => choice($.named_type, $.range_type, $.labelled_type),

    named_type: $ => seq(alias($._type_path, $.path), optional('?')),

    _type_path: $ => seq(choice($.name, alias($._label_word, $.name)), repeat(seq('.', $.name))),

    range_type: $ => seq(field('word', choice($.name, alias($._label_word, $.name))), $._range, optional('?')),

    _range: $ => seq('[', field('low', $.bound), '..', field('high', $.bound), ']'),

    bound: $ => seq($._signed, optional(seq('/', alias($._divisor, $.number)))),

    // Anything but 0.
    _divisor: () => /0*[1-9][0-9]*(\.[0-9]+)?|0+\.0*[1-9][0-9]*/,

    _signed: $ => choice($.number, $.negative_number, alias($._positive_number, $.positive_number)),

    _positive_number: $ => seq('+', $.number),

    labelled_type: $ => seq(
      choice(
        seq(field('word', alias('ordinal', $.name)), '(', optional($._ordered), ')'),
        seq(field('word', alias(choice('choice', 'set', 'tally'), $.name)), '(', optional($._unordered), ')'),
        // A word that the checker will refuse.
        seq(field('word', $.name), '(', optional($._labels), ')'),
      ),
      optional($._most),
      optional('?'),
    ),

    _label_word: () => choice('ordinal', 'choice', 'set', 'tally'),

    _ordered: $ => seq($.label, repeat(seq('<', $.label)), optional(choice('<', ','))),

    _unordered: $ => seq($.label, repeat(seq(',', $.label)), optional(choice('<', ','))),

    _labels: $ => seq($.label, repeat(seq(choice(',', '<'), $.label)), optional(choice('<', ','))),

    _most: $ => seq('max', field('most', $.number)),

    label: $ => choice($.name, $.text),

    // ---- expressions -------------------------------------------------------------------------------------------------

    expression: $ => choice($.if_expression, $._or),

    if_expression: $ => seq(
      'if', field('condition', $.expression), 'then', field('then', $.expression), 'else', field('else', $.expression),
    ),

    _or: $ => choice(alias($._or_binary, $.binary_expression), $._and),
    _or_binary: $ => binary($._or, 'or', $._and),

    _and: $ => choice(alias($._and_binary, $.binary_expression), $._not),
    _and_binary: $ => binary($._and, 'and', $._not),

    _not: $ => choice(alias($._not_unary, $.unary_expression), $._comparison),
    _not_unary: $ => seq(field('operator', 'not'), field('operand', $._not)),

    _comparison: $ => choice(alias($._comparison_binary, $.binary_expression), $._sum),
    _comparison_binary: $ => binary($._comparison, choice('==', '!=', '<', '<=', '>', '>='), $._sum),

    _sum: $ => choice(alias($._sum_binary, $.binary_expression), $._product),
    _sum_binary: $ => binary($._sum, choice('+', '-'), $._product),

    _product: $ => choice(alias($._product_binary, $.binary_expression), $._factor),
    _product_binary: $ => binary($._product, choice('*', '/'), $._factor),

    _factor: $ => choice(alias($._negation, $.unary_expression), $._operand),
    _negation: $ => seq(field('operator', '-'), field('operand', $._factor)),

    _operand: $ => choice(
      $.boolean,
      $.unknown,
      $.number,
      $.text,
      $.path,
      $.index,
      $.type_expression,
      $.call,
      $.parenthesized,
      $.list,
    ),

    index: $ => seq($.path, '[', $._signed, ']'),

    // A type where an argument can stand.
    type_expression: $ => choice(
      seq($.path, '?'),
      seq($.path, $._range, optional('?')),
      seq($.path, $.arguments, $._most, optional('?')),
      seq($.path, $.arguments, '?'),
    ),

    call: $ => seq(
      field('operator', $.path),
      choice(seq(field('arguments', $.arguments), optional(field('table', $.table))), field('table', $.table)),
    ),

    arguments: $ => seq('(', list($.argument), ')'),

    argument: $ => seq(
      // Any word can name an argument: `unknown: skip`, `else: abstain`.
      optional(seq(field('name', choice($.name, alias(choice(...RESERVED), $.name))), ':')),
      field('value', $.expression),
      optional(seq('weight', field('weight', $._sum))),
    ),

    table: $ => seq('{', list($.arm), '}'),

    arm: $ => seq(
      field('key', choice($.rest, $.below, $.expression)), '=>', field('value', $.expression),
    ),

    // At the beginning of an arm; elsewhere, and before anything else than what they need, both words are names.
    rest: () => prec(1, 'rest'),

    below: $ => prec(1, seq('below', $._below_sum)),

    // A sum that begins with a number, a sign or a word: `below(3)` is a call, `below[3]` a place in a list.
    _below_sum: $ => choice(
      alias($._below_sum_binary, $.binary_expression), $._below_product,
    ),
    _below_sum_binary: $ => binary($._below_sum, choice('+', '-'), $._product),
    _below_product: $ => choice(alias($._below_product_binary, $.binary_expression), $._below_factor),
    _below_product_binary: $ => binary($._below_product, choice('*', '/'), $._factor),
    _below_factor: $ => choice(
      alias($._negation, $.unary_expression), $.number, $.path, $.index, $.type_expression, $.call,
    ),

    parenthesized: $ => seq('(', $.expression, ')'),

    list: $ => seq('[', list($.expression), ']'),

    path: $ => seq(
      choice($.name, alias(choice('rest', 'below'), $.name)), repeat(seq('.', $.name)),
    ),

    // ---- words, numbers, texts ---------------------------------------------------------------------------------------

    boolean: () => choice('true', 'false'),

    unknown: () => 'unknown',

    name: () => /[_\p{XID_Start}]\p{XID_Continue}*/u,

    number: () => /[0-9]+(\.[0-9]+)?/,

    text: $ => choice($._plain_text, $._block_text, $._raw_text),

    _plain_text: $ => seq(
      '"',
      repeat(choice(
        alias(token.immediate(prec(1, /[^"\\{}\n]+/)), $.content),
        $._brace,
        $.escape,
        $.placeholder,
      )),
      token.immediate('"'),
    ),

    _block_text: $ => seq(
      '"""',
      repeat(choice(
        alias(token.immediate(prec(1, /[^"\\{}]+/)), $.content),
        token.immediate('"'),
        token.immediate('""'),
        $._brace,
        $.escape,
        $.placeholder,
      )),
      token.immediate('"""'),
    ),

    _brace: () => choice(token.immediate('{'), token.immediate('}'), token.immediate('}}')),

    _raw_text: $ => seq(
      token('r"'), optional(alias(token.immediate(/[^"\n]+/), $.raw_content)), token.immediate('"'),
    ),

    escape: () => token.immediate(new RegExp(
      `\\\\([nt"\\\\{}]|u\\{(0{0,2}(${HEX}{1,3}|[0-9A-CE-Fa-ce-f]${HEX}{3}|[Dd][0-7]${HEX}{2})` +
      `|0?[1-9A-Fa-f]${HEX}{4}|10${HEX}{4})\\})`,
    )),

    // `{{field}}` in a question; one that is not closed is no error of the text.
    placeholder: $ => prec.right(seq(
      token.immediate('{{'),
      optional(alias(token.immediate(prec(2, /[^"\\{}\n]+/)), $.field)),
      optional(token.immediate('}}')),
    )),

    // ---- comments ----------------------------------------------------------------------------------------------------

    doc_comment: () => token(/\/\/\/([^\/\n][^\n]*)?/),

    comment: () => token(/\/\/([^\/\n][^\n]*)?|\/\/\/\/[^\n]*/),
  },
});
