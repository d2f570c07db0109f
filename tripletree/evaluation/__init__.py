"""How good a result is and what constraints are worth: scores, descriptions, likely errors.

Law: measures values and estimators, draws and reads nothing.
"""
